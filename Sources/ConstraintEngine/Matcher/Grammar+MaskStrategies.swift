// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

extension Grammar {
  /// Which strategies are taken for the mask after a text. The mask is made anew, linear in the text.
  package func maskStrategies(
    after text: some Sequence<UInt8>, over vocabulary: Vocabulary
  ) -> MaskStrategies {
    storage.original.withState { state in
      var automaton = state.automaton
      var configuration = automaton.start
      for byte in text { configuration = automaton.next(configuration, byte) }
      var cache = MaskCache(vocabulary: vocabulary.storage, anyEscapes: automaton.anyEscapes)
      _ = cache.mask(configuration, &automaton)
      return cache.builder.usedStrategies
    }
  }
}
