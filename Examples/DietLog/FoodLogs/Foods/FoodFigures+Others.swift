// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

extension FoodFigures {
  /// Foods that the Standard Reference does not have, or has only in another form: what they typically
  /// have. Name; kcal; protein; carbohydrates; fat.
  static let others = """
    mackerel, smoked;305;18.9;0;25.1
    chorizo;455;24.1;1.9;38.3
    carrot cake;408;4.6;52.4;20.6
    gummy bears;338;6.9;77;0
    sorbet;131;0.3;33.4;0.1
    champagne;80;0.1;1.5;0
    """
}
