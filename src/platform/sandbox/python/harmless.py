"""
Tells code after which nothing need be put back: everything it names is known to change nothing that other code sees. Most code
is like that, and it runs several times as fast. A name that is missing here only costs time: the memory is then restored after it.
"""

import builtins
import dis
import types

MODULES = {
    "base64": "b64encode b64decode urlsafe_b64encode urlsafe_b64decode",
    "collections": "Counter OrderedDict defaultdict deque namedtuple",
    "datetime": "date datetime time timedelta timezone UTC",
    "decimal": "Decimal",
    "difflib": "SequenceMatcher get_close_matches ndiff unified_diff ratio quick_ratio get_matching_blocks get_opcodes",
    "fractions": "Fraction",
    "functools": "cmp_to_key partial reduce",
    "hashlib": "md5 sha1 sha256 sha512 digest hexdigest",
    "html": "escape unescape",
    "itertools": "*",
    "json": "dumps loads JSONDecodeError",
    "math": "*",
    "operator": "itemgetter",
    "random": "choice choices randint random randrange sample shuffle uniform gauss",
    "re": "compile escape findall finditer fullmatch match search split sub subn A ASCII DOTALL I IGNORECASE M MULTILINE S U"
    " UNICODE VERBOSE X group groupdict groups start end span expand lastindex pattern flags",
    "statistics": "mean fmean median median_high median_low mode multimode pstdev pvariance quantiles stdev variance",
    "string": "ascii_letters ascii_lowercase ascii_uppercase capwords digits hexdigits printable punctuation whitespace",
    "textwrap": "dedent fill indent shorten wrap",
    "time": "time monotonic perf_counter",
    "typing": "Any Dict Iterable List Optional Set Tuple Union",
    "unicodedata": "category name normalize",
    "urllib.parse": "parse parse_qs parse_qsl quote quote_plus unquote unquote_plus urlencode urljoin urlparse urlsplit"
    " hostname netloc path query scheme fragment",
    "uuid": "UUID uuid4 hex",
}

FUNCTIONS = """
    abs all any ascii bin bool bytearray bytes callable chr complex dict divmod enumerate filter float format frozenset hasattr
    hash hex id int isinstance issubclass iter len list map max min next oct ord pow print range repr reversed round set slice
    sorted str sum tuple type zip args __name__ result body"""

TYPES = [str, bytes, bytearray, int, float, complex, list, tuple, dict, set, frozenset, range]

# Assignments to what is not local, class bodies, and patterns that read attributes without naming them.
INSTRUCTIONS = "STORE_ATTR DELETE_ATTR STORE_GLOBAL DELETE_GLOBAL DELETE_NAME LOAD_BUILD_CLASS MATCH_CLASS".split()
FORBIDDEN = frozenset(dis.opmap[name] for name in INSTRUCTIONS)


def public_names(thing):
    return {name for name in dir(thing) if not name.startswith("_")}


def names_of_modules():
    for module, names in MODULES.items():
        imported = __import__(module, fromlist=["*"])
        yield from [module, module.split(".")[0]]
        yield from public_names(imported) if names == "*" else names.split()
        if module in ("collections", "datetime", "decimal", "fractions"):
            for name in names.split():
                yield from public_names(getattr(imported, name))


def names_of_exceptions():
    for name, value in vars(builtins).items():
        if isinstance(value, type) and issubclass(value, BaseException):
            yield name


NAMES = frozenset(
    [
        *(name for kind in TYPES for name in public_names(kind)),
        *names_of_modules(),
        *names_of_exceptions(),
        *FUNCTIONS.split(),
    ]
)


def is_harmless(code):
    if not NAMES.issuperset(code.co_names) or not FORBIDDEN.isdisjoint(code.co_code[::2]):
        return False
    return all(is_harmless(one) for one in code.co_consts if isinstance(one, types.CodeType))
