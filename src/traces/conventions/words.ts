import type { KindMark } from './kind-mark.js';
import type { MessageSource } from './message-source.js';
import type { SpanAttributes } from './attributes.js';

/** An attribute, or where inside an attribute that holds an object. */
export type Source = string | readonly [key: string, ...path: string[]];

/** What tokens are counted by. */
export type Count =
  | 'input'
  | 'output'
  | 'total'
  | 'cached'
  | 'cacheWrite'
  | 'cacheWriteHour'
  | 'thinking'
  | 'audioInput'
  | 'audioCached'
  | 'audioOutput';

/** Where a convention keeps the token counts of a call. The names of the counts themselves are known (`usage-names.ts`). */
export interface UsageWords {
  /** Below these stand counts only, whatever they are called: `gen_ai.usage.`. */
  prefixes?: string[];
  /** Below these stand counts among other things, so a name must speak of tokens. Empty: without any prefix. */
  mixedPrefixes?: string[];
  /** Attributes that hold counts as one object, or where inside an attribute such an object is. */
  objects?: Source[];
  /** Counts whose names nobody else has. */
  counts?: Partial<Record<Count, Source[]>>;
}

/** Where a convention keeps what a call has cost, in US dollars. The names of totals and of parts are known (`cost-names.ts`). */
export interface CostWords {
  prefixes?: string[];
  /** Attributes that hold costs and nothing else as one object: whatever its members are called, they are added. */
  objects?: Source[];
  /** Those whose object holds other things as well. */
  mixedObjects?: Source[];
  totals?: Source[];
  /** Each list adds up to a cost. A part may be told as a list of its own parts. */
  parts?: CostPart[][];
}

/** A source, several that stand for each other, or several that add up to one that is not told itself. */
export type CostPart = Source | { anyOf: Source[] } | { whole: Source; of: Source[] };

/** An attribute, with its place among those of all conventions where that is another than the place of its convention. */
export type RankedKey = string | readonly [key: string, rank: number];

/** Attributes that become metadata of a log. Where two tell the same key, the stronger wins. */
export interface MetadataWords {
  strength: number;
  /** Every attribute below it, by the rest of its key. */
  prefix?: string;
  /** An attribute that holds an object. */
  object?: string;
}

/** Where parameters of a call stand. */
export interface ParameterWords {
  /** The attributes of a parameter, by its name. */
  named?: Record<string, string[]>;
  /** Every attribute below these is a parameter by the rest of its key. */
  prefixes?: string[];
  /** Attributes that hold parameters as one object. */
  objects?: string[];
}

/**
 * The words of a convention: which of its attributes tell what. A span may follow several conventions at once, so the readers
 * beside this file try the words of all of them.
 */
export interface Words {
  model?: {
    requested?: RankedKey[];
    answering?: string[];
    /** Those that say by themselves that a model was called. */
    called?: string[];
  };
  provider?: string[];
  usage?: UsageWords;
  cost?: CostWords;
  user?: RankedKey[];
  conversation?: RankedKey[];
  tags?: string[];
  metadata?: MetadataWords[];
  parameters?: ParameterWords;
  /** Attributes that hold the tools offered to the model, as a list or as a member of an object. */
  tools?: (readonly [key: string, member?: string])[];
  toolChoice?: RankedKey[];
  variables?: string[];
  finishReasons?: string[];
  /** Attributes that hold the id which the service of the model gave its answer. */
  responseIds?: string[];
  marks?: KindMark[];
  /** Places where messages stand. */
  messages?: MessageSource[];
  /** Places that are tried when no convention has messages: texts without roles, events. */
  texts?: MessageSource[];
  /** Attributes that hold what went into a span and what came out of it, whatever it did: the last resort. */
  values?: { input?: string[]; output?: string[] };
}

interface Declaration {
  name: string;
  senders: string;
  rank: number;
  words: Words;
}

type Pick<T> = (words: Words) => readonly T[] | undefined;

const declarations: Declaration[] = [];
const lists = new Map<Pick<unknown>, readonly unknown[]>();

/** Makes the words of a convention known to all readers. Words of a lower rank come first. */
export function declareWords(declaration: Declaration): void {
  declarations.push(declaration);
  declarations.sort((a, b) => a.rank - b.rank);
  lists.clear();
}

/** The words of all conventions, the most telling first. */
export function declaredWords(): readonly Readonly<Declaration>[] {
  return declarations;
}

/**
 * One list of all conventions, the most telling first. The list is the same one until another convention is declared, as
 * `SpanAttributes.among` needs it. `pick` must be a constant of a module.
 */
export function wordsOf<T>(pick: Pick<T>): readonly T[] {
  let list = lists.get(pick) as readonly T[] | undefined;
  if (!list) {
    list = declarations.flatMap(({ words }) => pick(words) ?? []);
    lists.set(pick, list);
  }
  return list;
}

/** Something worked out from the words of all conventions, once. `make` must be a constant of a module. */
export const derivedFromWords = <T>(make: () => readonly T[]): (() => readonly T[]) => {
  let known: { from: readonly unknown[]; list: readonly T[] } | undefined;
  return () => {
    const from = wordsOf(everything);
    if (known?.from !== from) known = { from, list: make() };
    return known.list;
  };
};

const everything: Pick<Words> = (words) => [words];

/** One list of ranked keys of all conventions, in their order. */
export const rankedKeys = (pick: Pick<RankedKey>): (() => readonly string[]) =>
  derivedFromWords(() =>
    declarations
      .flatMap(({ rank, words }) => (pick(words) ?? []).map((key) => withRank(key, rank)))
      .sort((a, b) => a.rank - b.rank)
      .map(({ key }) => key),
  );

function withRank(key: RankedKey, rank: number): { key: string; rank: number } {
  return typeof key === 'string' ? { key, rank } : { key: key[0], rank: key[1] };
}

/** The attribute that a source stands in, or is. */
export const keyOf = (source: Source): string => (typeof source === 'string' ? source : source[0]);

/** The first text under the keys that `pick` gives. */
export function textFrom(attributes: SpanAttributes, pick: Pick<string>): string | null {
  return attributes.firstText(wordsOf(pick));
}
