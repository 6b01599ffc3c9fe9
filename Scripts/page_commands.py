"""What pages tell a reader to type. `check-pages` and `newcomer` read the pages with this."""
import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("Documentation/*.md")])
# The package's commands, and the other programs that a line of shell on a page begins with.
TOOLS = {"espalier", "travel-companion", "diet-log"}
PROGRAMS = TOOLS | {"swift", "python3", "python", "pip", "curl", "printf", "git", "vllm"}


@dataclass
class Command:
    text: str
    output: str = ""  # what the page shows below it, in a block of the kind `console`
    inline: bool = False


def without_fences(text: str) -> str:
    return re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)


def without_code(text: str) -> str:
    """The prose of a page: no blocks of code, neither between fences nor indented."""
    return re.sub(r"^ {4}\S.*$", "", without_fences(text), flags=re.M)


def is_command(line: str) -> bool:
    words = re.sub(r"^(\w+=\S* )+", "", line.strip()).split()
    return bool(words) and (words[0] in PROGRAMS or re.match(r"\.?\w+/\S*\w$", words[0]) is not None)


BLOCK = re.compile(
    r"^```(?P<kind>\S*)\n(?P<fenced>.*?)^```$"
    r"|(?:(?<=\n\n)|\A)(?P<indented>(?: {4,}\S[^\n]*\n)+)"
    r"|`(?P<inline>[^`\n]+)`", flags=re.M | re.S)


def commands(page: Path) -> list[Command]:
    """The commands of a page in their order: lines of its blocks, and code in its text that begins as a command does."""
    found = []
    for match in BLOCK.finditer(page.read_text()):
        if match["inline"]:
            if is_command(match["inline"]):
                found.append(Command(match["inline"].replace("\\|", "|"), inline=True))
        elif match["kind"] == "console":
            for part in re.split(r"^\$ ", match["fenced"], flags=re.M)[1:]:
                found.append(Command(*part.split("\n", 1)))
        elif match["indented"] or match["kind"] in {"sh", "bash", "shell"}:
            lines = re.sub(r"\\\n\s*", "", match["indented"] or match["fenced"]).splitlines()
            found += [Command(line.split("  #")[0].strip()) for line in lines if is_command(line)]
    return found
