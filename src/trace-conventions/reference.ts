import { COST_NAMES } from './costs.js';
import { countNames } from './usage-names.js';
import { type CostPart, declaredWords, type ParameterWords, type RankedKey, type Source, type Words } from './words.js';

/** Reference entry of one convention. */
export interface SenderReference {
  name: string;
  senders: string;
  /** Facts, and the attributes that hold them. */
  rows: [what: string, where: string[]][];
}

/** All conventions with the attributes that they own, by name. */
export function senderReferences(): SenderReference[] {
  return declaredWords()
    .map(({ name, senders, words }) => ({ name, senders, rows: rowsOf(words).filter(([, where]) => where.length > 0) }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** The names of counts and costs that are looked for below the prefixes and in the objects of conventions. */
export function knownNames(): [what: string, names: string[]][] {
  return [...countNames(), ...COST_NAMES];
}

/** Facts, and how to list the attributes that hold them. */
const ROWS: [what: string, where: (words: Words) => string[]][] = [
  ['model', ({ model }) => (model?.requested ?? []).map(plain)],
  ['model that answered', ({ model }) => model?.answering ?? []],
  ['provider', ({ provider }) => provider ?? []],
  ['token counts', ({ usage }) => [...belowAll(usage?.prefixes), ...insideAll(usage?.objects)]],
  ['token counts among other things', ({ usage }) => belowAll(usage?.mixedPrefixes)],
  ['token counts of its own', ({ usage }) => Object.values(usage?.counts ?? {}).flatMap((list) => list.map(written))],
  ['cost', ({ cost }) => [...(cost?.totals ?? []).map(written), ...belowAll(cost?.prefixes)]],
  ['cost as an object', ({ cost }) => [...insideAll(cost?.objects), ...insideAll(cost?.mixedObjects)]],
  ['parts of the cost', ({ cost }) => (cost?.parts ?? []).flat().flatMap(writtenPart)],
  ['user', ({ user }) => (user ?? []).map(plain)],
  ['conversation', ({ conversation }) => (conversation ?? []).map(plain)],
  ['tags', ({ tags }) => tags ?? []],
  ['metadata', ({ metadata }) => (metadata ?? []).map(({ prefix, object }) => object ?? `${prefix}*`)],
  ['parameters', ({ parameters }) => [...namedIn(parameters), ...belowAll(parameters?.prefixes)]],
  ['parameters as an object', ({ parameters }) => parameters?.objects ?? []],
  ['tools', ({ tools }) => (tools ?? []).map((path) => path.join(' → '))],
  ['tool choice', ({ toolChoice }) => (toolChoice ?? []).map(plain)],
  ['prompt variables', ({ variables }) => variables ?? []],
  ['finish reasons', ({ finishReasons }) => finishReasons ?? []],
  ['response id', ({ responseIds }) => responseIds ?? []],
  ['kind of span', ({ marks }) => (marks ?? []).map(({ key }) => key)],
  ['messages', ({ messages = [], texts = [] }) => [...messages, ...texts].flatMap(({ keys }) => keys)],
  ['input', ({ values }) => values?.input ?? []],
  ['output', ({ values }) => values?.output ?? []],
];

const rowsOf = (words: Words): [string, string[]][] => ROWS.map(([what, where]) => [what, where(words)]);

const plain = (key: RankedKey): string => (typeof key === 'string' ? key : key[0]);
const written = (source: Source): string => (typeof source === 'string' ? source : source.join(' → '));
const belowAll = (prefixes: string[] = []): string[] =>
  prefixes.map((prefix) => (prefix === '' ? 'names without a prefix' : `${prefix}*`));
const insideAll = (objects: Source[] = []): string[] => objects.map((object) => `${written(object)} → *`);

function namedIn(parameters: ParameterWords | undefined): string[] {
  return Object.values(parameters?.named ?? {}).flat();
}

function writtenPart(part: CostPart): string[] {
  if (typeof part === 'string') return [part];
  if ('anyOf' in part) return part.anyOf.map(written);
  return 'whole' in part ? [part.whole, ...part.of].map(written) : [written(part)];
}
