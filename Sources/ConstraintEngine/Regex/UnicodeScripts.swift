// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

// Written by Scripts/unicode-tables. Do not edit.

/// The scripts of Unicode 15.0.0. A range is written as its distance from the
/// end of the one before and, if it has several scalar values, how many follow the first; all in
/// hexadecimal.
enum UnicodeScripts {
  /// A script a paragraph that ends with `;`: its names, the short one first, and its ranges.
  static let scripts = """
    Adlm,Adlam 1E900.4B 5.9 5.1;
    Ahom 11700.1A 3.E 5.16;
    Hluw,Anatolian_Hieroglyphs 14400.246;
    Arab,Arabic 600.4 2.5 2.D 2.2 2.1F 2.9 C.19 2.6B 2.21 51.2F F1.1E 2.1 7.49 2.1C F251.72
    11.16A 3.4F 3.35 8 21.F 71.4 2.86 F64.1E 7F.2 DF01.3 2.1A 2.1 2 3 2.9 2.3 2 2 7 5 2 2 2.2
    2.1 2 3 2 2 2 2 2.1 2 3.3 2.6 2.3 2.3 2 2.9 2.10 6.2 2.4 2.10 35.1;
    Armn,Armenian 531.25 3.31 3.2 F584.4;
    Avst,Avestan 10B00.35 4.6;
    Bali,Balinese 1B00.4C 4.2E;
    Bamu,Bamum A6A0.57 C109.238;
    Bass,Bassa_Vah 16AD0.1D 3.5;
    Batk,Batak 1BC0.33 9.3;
    Beng,Bengali 980.3 2.7 3.1 3.15 2.6 2 4.3 3.8 3.1 3.3 9 5.1 2.4 3.18;
    Bhks,Bhaiksuki 11C00.8 2.2C 2.D B.1C;
    Bopo,Bopomofo 2EA.1 2E1A.2A 71.1F;
    Brah,Brahmi 11000.4D 5.23 A;
    Brai,Braille 2800.FF;
    Bugi,Buginese 1A00.1B 3.1;
    Buhd,Buhid 1740.13;
    Cans,Canadian_Aboriginal 1400.27F 231.45 101BB.F;
    Cari,Carian 102A0.30;
    Aghb,Caucasian_Albanian 10530.33 C;
    Cakm,Chakma 11100.34 2.11;
    Cham AA00.36 A.D 3.9 3.3;
    Cher,Cherokee 13A0.55 3.5 9773.4F;
    Chrs,Chorasmian 10FB0.1B;
    Zyyy,Common 0.40 1B.5 1B.2E 2.E 2.4 18 20 1C2.26 6.4 3.13 75 A 7 2 27E 7 F 4 21 9D 205
    82.1 4DA 196.3 123 5F0.2 48.1 CC.1 2 4CE E 8.3 2.5 2.2 3 306.B 3.56 2.A 4.A 2.E 12.20
    40.25 2.2 3.5 2.1A 2.10 2A.2 5.296 1A.A 16.39F 101.273 3.1F 2.68 201.5D 193.B 5.4 2 2.18
    10.7 5.3 5C.1 4 5B.1 94.F 21.23 3D.3F 20.50 30 59.A7 19C1.3F 5901.21 67.2 A6.9 F5 A1 18C
    F.1 51D3.1 D1.9 17.22 2.12 2.3 94 2.1F 1B.5 1B.A B 2E.1 41.6 2.6 B.4 103.2 5.2C 4.8 51.C
    34.2C E5.1A B9A5.3 12AD.73 3D.F5 B.26 3.3D 4.10 9.1 8.1D 5.3C D6.13 D.13 D.56 A.18 88.54
    2.46 2.1 3 3.1 3.3 2.B 2 2.6 2.40 2.3 3.7 2.6 2.1B 2.3 2.4 2 4.6 2.153 3.123 3.31 1472.43
    4D.3C 2C3.2B 5.63 D.E 3.E 2.E 2.24 B.AD 39.19 2.1 E.2B 5.8 8.1 F.5 9B.3D7 5.10 4.C 4.76
    5.5E 7.B 5 10.B 5.37 9.9 7.27 9.1D 3.1 4F.153 D.D 3.C 4.8 8.2D 2.6 9.D 5.8 8.8 8.92 2.36
    26.9 C0408 1F.5F;
    Copt,Coptic,Qaac 3E2.D 2891.73 6.6;
    Xsux,Cuneiform 12000.399 67.6E 2.4 C.C3;
    Cprt,Cypriot 10800.5 3 2.2B 2.1 4 3;
    Cpmn,Cypro_Minoan 12F90.62;
    Cyrl,Cyrillic 400.84 3.A8 1751.8 A3 4D 1068.1F 7841.5F 578F.1 E201.3D 22;
    Dsrt,Deseret 10400.4F;
    Deva,Devanagari 900.50 5.E 3.19 9F61.1F 7201.9;
    Diak,Dives_Akuru 11900.6 3 3.7 2.1 2.1D 2.1 3.B A.9;
    Dogr,Dogra 11800.3B;
    Dupl,Duployan 1BC00.6A 6.C 4.8 8.9 3.3;
    Egyp,Egyptian_Hieroglyphs 13000.455;
    Elba,Elbasan 10500.27;
    Elym,Elymaic 10FE0.16;
    Ethi,Ethiopic 1200.48 2.3 3.6 2 2.3 3.28 2.3 3.20 2.3 3.6 2 2.3 3.E 2.38 2.3 3.42 3.1F
    4.19 19E7.16 A.6 2.6 2.6 2.6 2.6 2.6 2.6 2.6 7D23.5 3.5 3.5 A.6 2.6 13CB2.6 2.3 2.1 2.E;
    Geor,Georgian 10A0.25 2 6 3.2A 2.3 B91.2A 3.2 1041.25 2 6;
    Glag,Glagolitic 2C00.5F 1B3A1.6 2.10 3.6 2.1 2.4;
    Goth,Gothic 10330.1A;
    Gran,Grantha 11300.3 2.7 3.1 3.15 2.6 2.1 2.4 3.8 3.1 3.2 3 7 6.6 3.6 4.4;
    Grek,Greek 370.3 2.2 3.3 2 5 2 2.2 2 2.13 2.3E F.F 1927.4 33.4 5.4 55 141.15 3.5 3.25 3.5
    3.7 2 2 2 2.1E 3.34 2.E 2.D 3.5 2.12 3.2 2.8 128 8A3F 55DB.4E 12 D060.45;
    Gujr,Gujarati A81.2 2.8 2.2 2.15 2.6 2.1 2.4 3.9 2.2 2.2 3 10.3 3.B 8.6;
    Gong,Gunjala_Gondi 11D60.5 2.1 2.24 2.1 2.5 8.9;
    Guru,Gurmukhi A01.2 2.5 5.1 3.15 2.6 2.1 2.1 2.1 3 2.4 5.1 3.2 4 8.3 2 8.10;
    Hani,Han 2E80.19 2.58 D.D5 30 2 1A.8 F.3 3C5.19BF 41.51FF 5901.16D 3.69 7509.1 D.1
    900F.A6DF 21.1039 7.DD 3.1681 F.1D30 C20.21D 5E3.134A 6.105F;
    Hang,Hangul 1100.FF 1E2F.1 102.5D 72.1E 42.1E 76E2.1C 284.2BA3 D.16 5.30 27A5.1E 4.5 3.5
    3.5 3.2;
    Rohg,Hanifi_Rohingya 10D00.27 9.9;
    Hano,Hanunoo 1720.14;
    Hatr,Hatran 108E0.12 2.1 6.4;
    Hebr,Hebrew 591.36 9.1A 5.5 F529.19 2.4 2 2.1 2.1 2.9;
    Hira,Hiragana 3041.55 7.2 17F62.11E 13 1E.2 40AE;
    Armi,Imperial_Aramaic 10840.15 2.8;
    Zinh,Inherited,Qaai 300.6F 116.1 1C5.A 1B 2E1.3 115C.1E 202.2 2.C 2.6 5 7 4.1 C7.3F 20D.1
    C3.20 F3A.3 6C.1 CD66.F 11.D 3D0 E3 105B BBC5.2D 3.16 221.2 12.7 3.6 1F.3 C2F53.EF;
    Phli,Inscriptional_Pahlavi 10B60.12 6.7;
    Prti,Inscriptional_Parthian 10B40.15 3.7;
    Java,Javanese A980.4D 3.9 5.1;
    Kthi,Kaithi 11080.42 B;
    Knda,Kannada C80.C 2.2 2.16 2.9 2.4 3.8 2.2 2.3 8.1 7.1 2.3 3.9 2.2;
    Kana,Katakana 30A1.59 3.2 F1.F D1.2E 2.57 CC0F.9 2.2C B053.3 2.6 2.1 2 120.2 33 F.3;
    Kawi 11F00.10 2.28 4.1B;
    Kali,Kayah_Li A900.2D 2;
    Khar,Kharoshthi 10A00.3 2.1 6.7 2.2 2.1C 3.2 5.9 8.8;
    Kits,Khitan_Small_Script 16FE4 1B1C.1D5;
    Khmr,Khmer 1780.5D 3.9 7.9 1E7.1F;
    Khoj,Khojki 11200.11 2.2E;
    Sind,Khudawadi 112B0.3A 6.9;
    Laoo,Lao E81.1 2 2.4 2.17 2 2.16 3.4 2 2.6 2.9 3.3;
    Latn,Latin 41.19 7.19 30 10 6.16 2.1E 2.1C0 28.4 1A1C.25 7.30 6.3 6.C 2.45 42.FF 172 E
    11.C 8E.1 7 1C 12.28 AD8.1F 7AA3.65 4.3F 6.1 2 2.4 19.D 331.2A 2.8 2.3 4F97.6 41B.19 7.19
    826.5 2.29 2.8 D746.1E 7.5;
    Lepc,Lepcha 1C00.37 4.E 4.2;
    Limb,Limbu 1900.1E 2.B 5.B 5 4.B;
    Lina,Linear_A 10600.136 A.15 B.7;
    Linb,Linear_B 10000.B 2.19 2.12 2.1 2.E 3.D 23.7A;
    Lisu A4D0.2F 7AB1;
    Lyci,Lycian 10280.1C;
    Lydi,Lydian 10920.19 6;
    Mahj,Mahajani 11150.26;
    Maka,Makasar 11EE0.18;
    Mlym,Malayalam D00.C 2.2 2.32 2.2 2.5 5.F 3.19;
    Mand,Mandaic 840.1B 3;
    Mani,Manichaean 10AC0.26 5.B;
    Marc,Marchen 11C70.1F 3.15 2.D;
    Gonm,Masaram_Gondi 11D00.6 2.1 2.2B 4 2.1 2.8 9.9;
    Medf,Medefaidrin 16E40.5A;
    Mtei,Meetei_Mayek AAE0.16 CA.2D 3.9;
    Mend,Mende_Kikakui 1E800.C4 3.F;
    Merc,Meroitic_Cursive 109A0.17 5.13 3.2D;
    Mero,Meroitic_Hieroglyphs 10980.1F;
    Plrd,Miao 16F00.4A 5.38 8.10;
    Modi 11600.44 C.9;
    Mong,Mongolian 1800.1 3 2.13 7.58 8.2A FDB6.C;
    Mroo,Mro 16A40.1E 2.9 5.1;
    Mult,Multani 11280.6 2 2.3 2.E 2.A;
    Mymr,Myanmar 1000.9F 9941.1E 62.1F;
    Nbat,Nabataean 10880.1E 9.8;
    Nagm,Nag_Mundari 1E4D0.29;
    Nand,Nandinagari 119A0.7 3.2D 3.A;
    Talu,New_Tai_Lue 1980.2B 5.19 7.A 4.1;
    Newa 11400.5B 2.4;
    Nkoo,Nko 7C0.3A 3.2;
    Nshu,Nushu 16FE1 418F.18B;
    Hmnp,Nyiakeng_Puachue_Hmong 1E100.2C 4.D 3.9 5.1;
    Ogam,Ogham 1680.1C;
    Olck,Ol_Chiki 1C50.2F;
    Hung,Old_Hungarian 10C80.32 E.32 8.5;
    Ital,Old_Italic 10300.23 A.2;
    Narb,Old_North_Arabian 10A80.1F;
    Perm,Old_Permic 10350.2A;
    Xpeo,Old_Persian 103A0.23 5.D;
    Sogo,Old_Sogdian 10F00.27;
    Sarb,Old_South_Arabian 10A60.1F;
    Orkh,Old_Turkic 10C00.48;
    Ougr,Old_Uyghur 10F70.19;
    Orya,Oriya B01.2 2.7 3.1 3.15 2.6 2.1 2.4 3.8 3.1 3.2 8.2 5.1 2.4 3.11;
    Osge,Osage 104B0.23 5.23;
    Osma,Osmanya 10480.1D 3.9;
    Hmng,Pahawh_Hmong 16B00.45 B.9 2.6 2.14 6.12;
    Palm,Palmyrene 10860.1F;
    Pauc,Pau_Cin_Hau 11AC0.38;
    Phag,Phags_Pa A840.37;
    Phnx,Phoenician 10900.1B 4;
    Phlp,Psalter_Pahlavi 10B80.11 8.3 D.6;
    Rjng,Rejang A930.23 C;
    Runr,Runic 16A0.4A 4.A;
    Samr,Samaritan 800.2D 3.E;
    Saur,Saurashtra A880.45 9.B;
    Shrd,Sharada 11180.5F;
    Shaw,Shavian 10450.2F;
    Sidd,Siddham 11580.35 3.25;
    Sgnw,SignWriting 1D800.28B 10.4 2.E;
    Sinh,Sinhala D81.2 2.11 4.17 2.8 2 3.6 4 5.5 2 2.7 7.9 3.2 103ED.13;
    Sogd,Sogdian 10F30.29;
    Sora,Sora_Sompeng 110D0.18 8.9;
    Soyo,Soyombo 11A50.52;
    Sund,Sundanese 1B80.3F 101.7;
    Sylo,Syloti_Nagri A800.2C;
    Syrc,Syriac 700.D 2.3B 3.2 111.A;
    Tglg,Tagalog 1700.15 A;
    Tagb,Tagbanwa 1760.C 2.2 2.1;
    Tale,Tai_Le 1950.1D 3.4;
    Lana,Tai_Tham 1A20.3E 2.1C 3.A 7.9 7.D;
    Tavt,Tai_Viet AA80.42 19.4;
    Takr,Takri 11680.39 7.9;
    Taml,Tamil B82.1 2.5 4.2 2.3 4.1 2 2.1 4.1 4.2 4.B 5.4 4.2 2.3 3 7 F.14 113C6.31 E;
    Tnsa,Tangsa 16A70.4E 2.9;
    Tang,Tangut 16FE0 20.17F7 9.2FF 201.8;
    Telu,Telugu C00.C 2.2 2.16 2.F 3.8 2.2 2.3 8.1 2.2 3 3.3 3.9 8.8;
    Thaa,Thaana 780.31;
    Thai E01.39 6.1B;
    Tibt,Tibetan F00.47 2.23 5.26 2.23 2.E 2.6 5.1;
    Tfng,Tifinagh 2D30.37 8.1 F;
    Tirh,Tirhuta 11480.47 9.9;
    Toto 1E290.1E;
    Ugar,Ugaritic 10380.1D 2;
    Vaii,Vai A500.12B;
    Vith,Vithkuqi 10570.A 2.E 2.6 2.1 2.A 2.E 2.6 2.1;
    Wcho,Wancho 1E2C0.39 6;
    Wara,Warang_Citi 118A0.52 D;
    Yezi,Yezidi 10E80.29 2.2 3.1;
    Yiii,Yi A000.48C 4.36;
    Zanb,Zanabazar_Square 11A00.47;
    """

  /// What several scripts use: their short names with `,` between them, then the ranges.
  static let extensions = """
    Adlm,Arab,Mand,Mani,Ougr,Phlp,Rohg,Sogd,Syrc 640;
    Adlm,Arab,Nkoo,Rohg,Syrc,Thaa,Yezi 61F;
    Arab,Copt 102E0.1B;
    Arab,Nkoo FD3E.1;
    Arab,Nkoo,Rohg,Syrc,Thaa,Yezi 60C F;
    Arab,Rohg 6D4;
    Arab,Syrc 64B.A 1B;
    Arab,Syrc,Thaa 61C;
    Arab,Thaa FDF2 B;
    Arab,Thaa,Yezi 660.9;
    Beng 1CF7;
    Beng,Cakm,Sylo 9E6.9;
    Beng,Deva 1CD5.1 2 9 9 3 8.1 8BFB;
    Beng,Deva,Dogr,Gong,Gonm,Gran,Gujr,Guru,Knda,Limb,Mahj,Mlym,Nand,Orya,Sind,Sinh,Sylo,Takr,
    Taml,Telu,Tirh 965;
    Beng,Deva,Dogr,Gong,Gonm,Gran,Gujr,Guru,Knda,Mahj,Mlym,Nand,Orya,Sind,Sinh,Sylo,Takr,Taml,
    Telu,Tirh 964;
    Beng,Deva,Gran,Gujr,Guru,Knda,Latn,Mlym,Orya,Shrd,Taml,Telu,Tirh 951;
    Beng,Deva,Gran,Gujr,Guru,Knda,Latn,Mlym,Orya,Taml,Telu,Tirh 952;
    Beng,Deva,Gran,Knda 1CD0 2;
    Beng,Deva,Gran,Knda,Nand,Orya,Telu,Tirh 1CF2;
    Bopo,Hang,Hani,Hira,Kana 3003 10 9.3 11 7 CE0E.1;
    Bopo,Hang,Hani,Hira,Kana,Yiii 3001.1 6.9 3.7 E0 CE66.4;
    Bopo,Hani 302A.3;
    Bugi,Java A9CF;
    Buhd,Hano,Tagb,Tglg 1735.1;
    Cakm,Mymr,Tale 1040.9;
    Cpmn,Cprt,Linb 10100.1;
    Cprt,Lina,Linb 10107.2C;
    Cprt,Linb 10102 35.8;
    Cyrl,Glag 484 3 29BC 782C;
    Cyrl,Latn 485.1;
    Cyrl,Perm 483;
    Cyrl,Syrc 1DF8;
    Deva 1CD1 3 7 3.1 3.6 3.1 2.3;
    Deva,Dogr,Gujr,Guru,Khoj,Knda,Kthi,Mahj,Mlym,Modi,Nand,Sind,Takr,Tirh A830.2;
    Deva,Dogr,Gujr,Guru,Khoj,Knda,Kthi,Mahj,Modi,Nand,Sind,Takr,Tirh A833.2;
    Deva,Dogr,Gujr,Guru,Khoj,Kthi,Mahj,Modi,Sind,Takr,Tirh A836.3;
    Deva,Dogr,Kthi,Mahj 966.9;
    Deva,Gran 1CD3 20 5.1;
    Deva,Gran,Knda 1CF4;
    Deva,Gran,Latn 20F0;
    Deva,Knda,Mlym,Orya,Taml,Telu 1CDA;
    Deva,Nand 1CE9;
    Deva,Shrd 1CD7 2 3.1 3;
    Deva,Taml A8F3;
    Dupl 1BCA0.3;
    Geor,Latn 10FB;
    Gran,Taml BE6.D 1070E 2 38.1 C94.1 2;
    Grek 342 3 1A7B.1;
    Gujr,Khoj AE6.9;
    Guru,Mult A66.9;
    Hani 3006 38.1 151.F 21.23 3D.27 39.30 10.B 34 59.18 B.4 61.1E 19F62.11 1EDF.1;
    Hani,Hira,Kana 303C.1;
    Hani,Latn A700.7;
    Hira,Kana 3031.4 64.3 4 5C CE74 2E.1;
    Kali,Latn,Mymr A92E;
    Knda,Nand CE6.9;
    Latn 363.C;
    Latn,Mong 202F;
    Mani,Ougr 10AF2;
    Mong,Phag 1802.1 2;
    Nand 1CFA;
    Syrc 1DFA;
    """
}
