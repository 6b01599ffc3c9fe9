// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// Fields that are named in other languages than English, and texts in other scripts than Latin.
extension SampleTexts {
  /// The English word for a word of a field's name in another language, if it is known.
  static func english(_ word: String) -> String? {
    words.first { $0.value.contains(word) }?.key
  }

  /// In German, French, Italian, Spanish and Japanese.
  private static let words: [String: Set<String>] = [
    "firstname": ["vorname", "prénom", "prenom", "nombre", "下の名前"],
    "lastname": ["nachname", "familienname", "cognome", "apellido", "apellidos", "姓", "苗字", "名字"],
    "fullname": ["名前", "氏名", "お名前", "フルネーム", "nominativo"],
    "name": ["nome", "nom", "bezeichnung"],
    "person": [
      "kunde", "gast", "benutzer", "cliente", "ospite", "utente", "autore", "persona", "auteur",
      "autor", "顧客", "著者", "担当者",
    ],
    "city": [
      "stadt", "ort", "città", "citta", "ville", "ciudad", "都市", "市", "目的地", "destinazione",
    ],
    "country": ["land", "paese", "nazione", "国"],
    "language": ["sprache", "lingua", "langue", "idioma", "言語"],
    "address": [
      "adresse", "anschrift", "straße", "strasse", "indirizzo", "rue", "dirección", "住所",
    ],
    "zip": ["plz", "postleitzahl", "郵便番号"],
    "phone": ["telefon", "telefono", "téléphone", "teléfono", "cellulare", "電話", "電話番号"],
    "email": ["メール", "メールアドレス", "correo"],
    "color": ["farbe", "colore", "couleur", "色"],
    "title": ["titel", "titolo", "titre", "título", "überschrift", "タイトル", "題名", "件名"],
    "food": ["essen", "gericht", "piatto", "cibo", "plat", "plato", "料理", "食べ物"],
    "document": ["dokument", "documento", "書類"],
    "currency": ["währung", "valuta", "devise", "moneda", "通貨"],
  ]

  /// Texts in one script each, for patterns that allow no other.
  static let inOtherScripts = [
    "さくら", "サクラ", "桜並木", "花园", "정원", "حديقة", "גינה", "बगीचा", "বাগান", "สวน", "சாலை", "сад",
    "κήπος", "այգի", "ბაღი",
  ]
}
