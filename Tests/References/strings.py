"""10,000 varied texts for comparisons of tokenizers; the same for the same seed."""

import random

WORDS = (
    "the of and Größe straße naïve café façade coöperate übermäßig señor niño español garçon "
    "привет мир Москва ёлка Київ ελληνικά Ελλάδα שלום עולם مرحبا بالعالم हिन्दी नमस्ते বাংলা தமிழ் "
    "ไทยภาษา 日本語 こんにちは カタカナ 漢字 中文 汉语 繁體 한국어 안녕하세요 Việt Nam ngôn ngữ "
    "Türkçe İstanbul ığdır Ærøskøbing Łódź Čeština Magyarország Íslenska Gaeilge Cymraeg "
    "ⅷ ½ ² ٣ ۴ ५ ७ Ⅻ 1234567 3.14159 1e-9 0x7F 1,000,000 12:30 2026-11-21 §3 №5 "
    "don't I'll we've they're it's I'd I'm DON'T I'LL WE'VE THEY'RE IT'S I'D 'tis rock'n'roll ſ's x'ſ"
).split()
CODE = [
    "def f(x):\n    return x ** 2\n", "for (int i = 0; i < n; ++i) {\n\tsum += a[i];\n}\n",
    "let x: [String: Int] = [:]", "<div class=\"a b\">&nbsp;</div>", "SELECT * FROM t WHERE a != 'b';",
    "{\"key\": [1, 2.5e3, null, true], \"s\": \"\\u00e9\\n\"}", "// ---- ==== ####\n\r\n\r\n",
    "\\frac{a}{b} \\sum_{i=1}^{n}", "https://example.org/a?b=c&d=%20#frag", "user@example.com",
    "$HOME/bin:/usr/bin", "x->y::z<T>&&*p", "!!!???...", "----------", "a\u200bb", "\ufeffbom",
    "C:\\Users\\name\\file.txt", "#include <stdio.h>\n\nint main(void) { return 0; }\n",
]
EMOJI = "😀 👍🏽 👨‍👩‍👧‍👦 🇩🇪 ❤️ 🏳️‍🌈 ☕ ✨ 🧑🏻‍💻 ©️ 1️⃣ 🤷‍♀️ 𝔘𝔫𝔦 𝓬 𐍈 🂡 ⠿ ☃".split()
SPACE = [
    " ", "  ", "   ", "\n", "\n\n", "\n\n\n", "\t", "\t\t", "\r\n", "\r", " \n", "\n ", "\u00a0",
    "\u3000", "\u2003", "\u2028", "\u0085", "\v", "\f", "    \n    ", " \t ", "        ", "\u1680",
]
SPECIAL = [
    "<|im_start|>", "<|im_end|>", "<|endoftext|>", "<s>", "</s>", "<unk>", "<pad>", "<|eot_id|>",
    "<|begin_of_text|>", "<|start_header_id|>", "[CLS]", "[SEP]", "<bos>", "<eos>", "<start_of_turn>",
    "<|fim_prefix|>", "<0x0A>", "<|im_", "start|>", "▁", "▁▁the", "Ġthe", "ĊĊ", "<|user|>",
    "<|assistant|>", "<repo_name>", "<file_sep>", "<think>", "[INST]", "[/INST]", "<tool_call>",
]
RANGES = [
    (0x20, 0x7E), (0xA0, 0x17F), (0x370, 0x3FF), (0x400, 0x4FF), (0x590, 0x5FF), (0x600, 0x6FF),
    (0x900, 0x97F), (0xE00, 0xE7F), (0x1E00, 0x1EFF), (0x2000, 0x206F), (0x2070, 0x20CF),
    (0x2100, 0x218F), (0x2190, 0x22FF), (0x2460, 0x24FF), (0x3040, 0x30FF), (0x4E00, 0x9FFF),
    (0xAC00, 0xD7A3), (0xFF00, 0xFFEF), (0x1F300, 0x1F6FF), (0x300, 0x36F), (0x0, 0x1F),
    (0x1D400, 0x1D7FF), (0xE000, 0xE0FF), (0x10D00, 0x10D3F),
]


def texts(count=10_000, seed=20261121):
    generator = random.Random(seed)
    result = ["", " ", "  ", "\n", "'", "'s", " '", "a", "▁", "0"]

    def scalars(length):
        low, high = generator.choice(RANGES)
        return "".join(chr(generator.randint(low, high)) for _ in range(length))

    while len(result) < count:
        parts = []
        for _ in range(generator.choice([1, 2, 3, 5, 8, 13, 21])):
            kind = generator.random()
            if kind < 0.45:
                parts.append(generator.choice(WORDS))
            elif kind < 0.55:
                parts.append(generator.choice(CODE))
            elif kind < 0.62:
                parts.append(generator.choice(EMOJI))
            elif kind < 0.72:
                parts.append(generator.choice(SPACE) * generator.randint(1, 3))
            elif kind < 0.78:
                parts.append(generator.choice(SPECIAL))
            elif kind < 0.9:
                parts.append(scalars(generator.randint(1, 6)))
            else:
                parts.append(generator.choice("aAzZ0.,'\"-_/\\") * generator.randint(1, 40))
            if generator.random() < 0.5:
                parts.append(" ")
        text = "".join(parts)
        # A null ends a text for C, and is no part of the comparison.
        result.append(text.replace("\0", ""))
    return result[:count]
