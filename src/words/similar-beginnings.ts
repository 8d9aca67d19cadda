/** Letters that may be missing or wrong in a word, by script. */
const ALPHABETS = ['abcdefghijklmnopqrstuvwxyz', 'αβγδεζηθικλμνξοπρστυφχψω', 'абвгдежзийклмнопрстуфхцчшщъыьэюя'].map(
  (letters) => [...letters],
);
/** Letters that are often confused. */
const RELATIVES = 'aàáâãäåæ cç eèéêë iìíîï nñ oòóôõöøœ sß uùúûü yýÿ αά εέ ηή ιί οό υύ ωώ её иії гґ эє'
  .split(' ')
  .map((letters) => [...letters]);

/** Only words of letters: a number or id with another digit is another one. */
const LETTERS = /^\p{L}+$/u;
/** In letters. Shorter words have too many similar ones, and longer ones are rarely words. */
const SHORTEST = 4;
const LONGEST = 24;
/** Beginnings that are looked up in the index for a word. */
const MOST_KNOWN = 20;

/**
 * The texts within one edit of a word: one letter inserted, deleted or replaced, or two neighbours exchanged. The first letter
 * stays, and texts that begin with the word itself are left out.
 */
export class SimilarBeginnings {
  private readonly lengths: readonly number[];

  private constructor(
    readonly all: ReadonlySet<string>,
    /** The ones that begin words of the workspace. */
    readonly known: readonly string[],
  ) {
    this.lengths = [...new Set(Array.from(all, ({ length }) => length))];
  }

  /** Whether a word can have similar ones. */
  static has(word: string): boolean {
    const { length } = [...word];
    return LETTERS.test(word) && length >= SHORTEST && length <= LONGEST;
  }

  static of(word: string): SimilarBeginnings {
    return new SimilarBeginnings(new Set(editsOf([...word])), []);
  }

  knownAs(known: ReadonlySet<string>): SimilarBeginnings {
    const mine = [...this.all].filter((beginning) => known.has(beginning));
    // A beginning that extends another one is covered by it.
    const shortest = mine.filter((one) => !mine.some((other) => other !== one && one.startsWith(other)));
    return new SimilarBeginnings(this.all, shortest.slice(0, MOST_KNOWN));
  }

  /** Whether a word, known or not, begins with one of them. */
  begin(word: string): boolean {
    return this.lengths.some((length) => this.all.has(word.slice(0, length)));
  }
}

function* editsOf(letters: string[]): Generator<string> {
  const word = letters.join('');
  for (const edited of allEditsOf(letters)) {
    if ([...edited].length >= SHORTEST && !edited.startsWith(word)) yield edited;
  }
}

function* allEditsOf(letters: string[]): Generator<string> {
  const alphabet = alphabetOf(letters);
  for (let at = 1; at < letters.length; at++) {
    const before = letters.slice(0, at).join('');
    const [letter = '', ...rest] = letters.slice(at);
    const after = rest.join('');
    yield before + after;
    if (rest.length > 0) yield before + rest[0] + letter + rest.slice(1).join('');
    for (const other of alphabet) yield before + other + letter + after;
    for (const other of new Set([...alphabet, ...relativesOf(letter)])) yield before + other + after;
  }
}

const relativesOf = (letter: string): string[] => RELATIVES.find((letters) => letters.includes(letter)) ?? [];

function alphabetOf(letters: string[]): Set<string> {
  const alphabet = ALPHABETS.find((each) => letters.some((letter) => each.includes(letter))) ?? [];
  return new Set([...alphabet, ...letters]);
}
