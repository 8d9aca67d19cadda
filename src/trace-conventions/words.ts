import type { KindMark } from './kind-mark.js';
import type { MessageSource } from './message-source.js';
import type { SpanAttributes } from './attributes.js';

/** An attribute, or a path inside an attribute that holds an object. */
export type Source = string | readonly [key: string, ...path: string[]];

/** Kinds of token counts. */
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

/**
 * Attributes in which a convention keeps the token counts of a call. The names of the counts themselves are known
 * (`usage-names.ts`).
 */
export interface UsageWords {
  /** Prefixes of attributes that are all counts, whatever their names: `gen_ai.usage.`. */
  prefixes?: string[];
  /** Prefixes of attributes of which some are counts, so names must speak of tokens. Empty: no prefix. */
  mixedPrefixes?: string[];
  /** Attributes that hold counts as one object, or paths to such an object inside an attribute. */
  objects?: Source[];
  /** Counts with names that only this convention has. */
  counts?: Partial<Record<Count, Source[]>>;
}

/**
 * Attributes in which a convention keeps the cost of a call, in US dollars. The names of totals and of parts are known
 * (`cost-names.ts`).
 */
export interface CostWords {
  prefixes?: string[];
  /** Attributes with an object of costs only: all its members are added, whatever their names. */
  objects?: Source[];
  /** Attributes with an object of costs and other values. */
  mixedObjects?: Source[];
  totals?: Source[];
  /** Each list adds up to a cost. A part can be given as a list of its own parts. */
  parts?: CostPart[][];
}

/** A source, alternative sources, or a whole with the sources that add up to it when it is not reported itself. */
export type CostPart = Source | { anyOf: Source[] } | { whole: Source; of: Source[] };

/** An attribute, with its own rank where that differs from the rank of its convention. */
export type RankedKey = string | readonly [key: string, rank: number];

/** Attributes that become metadata of a log. Of two with the same key, the stronger wins. */
export interface MetadataWords {
  strength: number;
  /** Every attribute below it, by the rest of its key. */
  prefix?: string;
  /** An attribute that holds an object. */
  object?: string;
}

/** Attributes that hold parameters of a call. */
export interface ParameterWords {
  /** The attributes of a parameter, by its name. */
  named?: Record<string, string[]>;
  /** Every attribute below these is a parameter by the rest of its key. */
  prefixes?: string[];
  /** Attributes that hold parameters as one object. */
  objects?: string[];
}

/**
 * The words of a convention: its attribute for each fact. A span may follow several conventions at once, so the readers
 * beside this file try the words of all of them.
 */
export interface Words {
  model?: {
    requested?: RankedKey[];
    answering?: string[];
    /** Attributes that prove by themselves that a model was called. */
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
  /** Message sources, tried first. */
  messages?: MessageSource[];
  /** Message sources that are tried when no convention has messages: texts without roles, events. */
  texts?: MessageSource[];
  /** Attributes with the input and output of any kind of span: the last resort. */
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

/** Makes the words of a convention known to all readers. Lower ranks come first. */
export function declareWords(declaration: Declaration): void {
  declarations.push(declaration);
  declarations.sort((a, b) => a.rank - b.rank);
  lists.clear();
}

/** The words of all conventions by rank. */
export function declaredWords(): readonly Readonly<Declaration>[] {
  return declarations;
}

/**
 * One list from all conventions, by rank. It stays the same object until another convention is declared, as
 * `SpanAttributes.among` requires. `pick` must be a constant of a module.
 */
export function wordsOf<T>(pick: Pick<T>): readonly T[] {
  let list = lists.get(pick) as readonly T[] | undefined;
  if (!list) {
    list = declarations.flatMap(({ words }) => pick(words) ?? []);
    lists.set(pick, list);
  }
  return list;
}

/** A list derived once from the words of all conventions. `make` must be a constant of a module. */
export const derivedFromWords = <T>(make: () => readonly T[]): (() => readonly T[]) => {
  let known: { from: readonly unknown[]; list: readonly T[] } | undefined;
  return () => {
    const from = wordsOf(everything);
    if (known?.from !== from) known = { from, list: make() };
    return known.list;
  };
};

const everything: Pick<Words> = (words) => [words];

/** One list of the ranked keys of all conventions, in their order. */
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

/** The attribute of a source. */
export const keyOf = (source: Source): string => (typeof source === 'string' ? source : source[0]);

/** The first text under the keys that `pick` gives. */
export function textFrom(attributes: SpanAttributes, pick: Pick<string>): string | null {
  return attributes.firstText(wordsOf(pick));
}
