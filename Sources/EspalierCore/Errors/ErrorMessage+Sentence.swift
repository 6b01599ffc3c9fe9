// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

extension ErrorMessage {
  /// The sentences of the package.
  package enum Sentence: String, Sendable, Hashable, CaseIterable {
    // What a model cannot do.
    case contextExceeded
    case contextFull
    case answerLacksRoom
    case rateLimited
    case guardrail
    case refusal
    case refusalWithoutReason
    case lacksVision
    case lacksGuidedGeneration
    case lacksReasoning
    case lacksToolCalling
    case lacksCapability
    case unreadableConversation
    case unsupportedForm
    case unsupportedLanguage
    case unknownLanguage
    case modelTimeout
    case modelUnavailable
    case adapterUnavailable
    case noModelAvailable
    case noModelAnswered
    // What a session cannot do.
    case stillAnswering
    case conversationChanged
    case toolFailed
    case toolFailedBecause
    case unknownTool
    case tooManyRounds
    case noTools
    case toolNotCalled
    case wrongAnswer
    case brokenRules
    // What an app's developer can repair.
    case unusableForm
    case unusableVocabulary
    case wrongUse
    case limitReached
    case scriptEnded
    case recordingDiffers
    case caseUnreadable
    // Files.
    case fileUnreadable
    case fileDamaged
    case conversationMissing
    case conversationDamaged
    case conversationNewer
    case conversationNotSaved
    case conversationUnreadable
    case knowledgeUnusable
    case modelFileUnusable
    case templateUnusable
    // Servers.
    case serverUnreachable
    case serverKey
    case serverNotFound
    case serverRequest
    case serverFailed
    case serverAnswer
    case serverEndedEarly
    case serverEmpty
    case answerCutOff
  }
}

extension ErrorMessage.Sentence {
  /// The sentence in each language; `%` is the place of an argument.
  package var texts: (english: String, italian: String) {
    switch self {
    case .contextExceeded:
      (
        "Content contains % tokens, which exceeds the maximum allowed context size of %.",
        "Il contenuto ha % token, mentre il modello può leggerne al massimo %."
      )
    case .contextFull:
      (
        "This conversation is too long for the model. Start a new one.",
        "Questa conversazione è troppo lunga per il modello. Iniziane una nuova."
      )
    case .answerLacksRoom:
      (
        "The answer needs more room than the app gives it.",
        "La risposta richiede più spazio di quanto l'app ne conceda."
      )
    case .rateLimited:
      (
        "The model takes no more requests for now. Try again later.",
        "Per ora il modello non accetta altre richieste. Riprova più tardi."
      )
    case .guardrail:
      (
        "A safety rule does not let the request or the answer through.",
        "Una regola di sicurezza blocca la richiesta o la risposta."
      )
    case .refusal: ("The model declined: %", "Il modello ha rifiutato: %")
    case .refusalWithoutReason:
      ("The model declined to answer.", "Il modello ha rifiutato di rispondere.")
    case .lacksVision:
      ("This model cannot look at images.", "Questo modello non può vedere le immagini.")
    case .lacksGuidedGeneration:
      (
        "This model cannot answer in a fixed form.",
        "Questo modello non può rispondere in una forma stabilita."
      )
    case .lacksReasoning:
      (
        "This model cannot reason before it answers.",
        "Questo modello non può ragionare prima di rispondere."
      )
    case .lacksToolCalling:
      ("This model cannot use tools.", "Questo modello non può usare strumenti.")
    case .lacksCapability:
      (
        "This model cannot do what was asked: it lacks '%'.",
        "Questo modello non può fare quanto richiesto: gli manca '%'."
      )
    case .unreadableConversation:
      (
        "The model cannot read a part of this conversation.",
        "Il modello non può leggere una parte di questa conversazione."
      )
    case .unsupportedForm:
      (
        "The model cannot answer in the form that is needed.",
        "Il modello non può rispondere nella forma richiesta."
      )
    case .unsupportedLanguage:
      (
        "The model does not know this language: %.",
        "Il modello non conosce questa lingua: %."
      )
    case .unknownLanguage:
      ("The model does not know this language.", "Il modello non conosce questa lingua.")
    case .modelTimeout:
      (
        "The model did not answer in time. Try again.",
        "Il modello non ha risposto in tempo. Riprova."
      )
    case .modelUnavailable:
      ("The model is not available.", "Il modello non è disponibile.")
    case .adapterUnavailable:
      (
        "The model cannot be adapted in this way here.",
        "Il modello non può essere adattato in questo modo su questo dispositivo."
      )
    case .noModelAvailable:
      (
        "No model is available for the request. Try again later.",
        "Nessun modello è disponibile per la richiesta. Riprova più tardi."
      )
    case .noModelAnswered:
      ("No model answered. Try again later.", "Nessun modello ha risposto. Riprova più tardi.")
    case .stillAnswering:
      (
        "Another question is still being answered. Wait until it is done.",
        "La risposta a un'altra domanda non è ancora finita. Attendi."
      )
    case .conversationChanged:
      (
        "The conversation changed while the answer was written. Try again.",
        "La conversazione è cambiata mentre veniva scritta la risposta. Riprova."
      )
    case .toolFailed: ("The tool '%' failed.", "Lo strumento '%' non ha funzionato.")
    case .toolFailedBecause:
      ("The tool '%' failed: %", "Lo strumento '%' non ha funzionato: %")
    case .unknownTool:
      (
        "The model wanted to use something that this app does not have. Try again.",
        "Il modello voleva usare qualcosa che questa app non ha. Riprova."
      )
    case .tooManyRounds:
      (
        "The model found no end and was stopped. Ask in another way.",
        "Il modello non arrivava a una conclusione ed è stato fermato. Riformula la domanda."
      )
    case .noTools:
      (
        "The model was to use a tool, and this app gives it none.",
        "Il modello doveva usare uno strumento, ma questa app non gliene dà nessuno."
      )
    case .toolNotCalled:
      (
        "The model did not look up what it should have. Try again.",
        "Il modello non ha cercato quello che doveva. Riprova."
      )
    case .wrongAnswer:
      (
        "The model's answer does not have the form that was asked for. Try again.",
        "La risposta del modello non ha la forma richiesta. Riprova."
      )
    case .brokenRules:
      (
        "The answer still has mistakes after several attempts (%). Ask in another way.",
        "La risposta contiene ancora errori dopo vari tentativi (%). Riformula la domanda."
      )
    case .unusableForm:
      (
        "The form of the answer has a mistake that the app's developer can repair.",
        "La forma della risposta ha un errore che chi sviluppa l'app può correggere."
      )
    case .unusableVocabulary:
      (
        "The model's list of words cannot be used.",
        "L'elenco di parole del modello non può essere usato."
      )
    case .wrongUse:
      (
        "The app uses the model in a way that does not work.",
        "L'app usa il modello in un modo che non funziona."
      )
    case .limitReached:
      (
        "The form of the answer needs more work than is allowed.",
        "La forma della risposta richiede più calcoli di quanti ne siano permessi."
      )
    case .scriptEnded:
      (
        "There are no more prepared answers.",
        "Non ci sono altre risposte preparate."
      )
    case .recordingDiffers:
      (
        "The recording holds the answer to another question.",
        "La registrazione contiene la risposta a un'altra domanda."
      )
    case .caseUnreadable:
      (
        "Line % of the file of cases cannot be read.",
        "La riga % del file dei casi non può essere letta."
      )
    case .fileUnreadable:
      ("The file '%' cannot be read.", "Il file '%' non può essere letto.")
    case .fileDamaged: ("The file '%' is damaged.", "Il file '%' è danneggiato.")
    case .conversationMissing:
      ("This conversation is no longer there.", "Questa conversazione non c'è più.")
    case .conversationDamaged:
      (
        "A part of this conversation is damaged.",
        "Una parte di questa conversazione è danneggiata."
      )
    case .conversationNewer:
      (
        "A newer version of the app saved this conversation. Update the app.",
        "Questa conversazione è stata salvata da una versione più recente. Aggiorna l'app."
      )
    case .conversationNotSaved:
      (
        "The conversation cannot be saved. There may be no room left.",
        "La conversazione non può essere salvata. Forse non c'è più spazio."
      )
    case .conversationUnreadable:
      ("The conversation cannot be read.", "La conversazione non può essere letta.")
    case .knowledgeUnusable:
      ("The app's knowledge cannot be used.", "Le conoscenze dell'app non sono utilizzabili.")
    case .modelFileUnusable:
      ("The file of the model cannot be used.", "Il file del modello non può essere usato.")
    case .templateUnusable:
      (
        "The conversation cannot be written in the way that the model reads.",
        "La conversazione non può essere scritta nel formato che il modello legge."
      )
    case .serverUnreachable:
      (
        "The server % cannot be reached. Is it running?",
        "Il server % non è raggiungibile. È in funzione?"
      )
    case .serverKey:
      (
        "The server % does not accept the key.",
        "Il server % non accetta la chiave."
      )
    case .serverNotFound:
      ("The server % does not have the model.", "Il server % non ha il modello.")
    case .serverRequest:
      ("The server % does not take the request.", "Il server % non accetta la richiesta.")
    case .serverFailed:
      ("The server % failed. Try again later.", "Il server % ha un guasto. Riprova più tardi.")
    case .serverAnswer:
      (
        "The server % gave an answer that cannot be understood.",
        "Il server % ha dato una risposta incomprensibile."
      )
    case .serverEndedEarly:
      (
        "The connection to the server % ended before the answer did. Try again.",
        "La connessione al server % si è interrotta prima della fine della risposta. Riprova."
      )
    case .serverEmpty:
      (
        "The server % answered with nothing. Try again.",
        "Il server % ha dato una risposta vuota. Riprova."
      )
    case .answerCutOff:
      (
        "The answer was cut off because it became too long.",
        "La risposta è stata tagliata perché era troppo lunga."
      )
    }
  }
}
