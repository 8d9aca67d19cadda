import { COST_NAMES } from './costs.js';
import { countNames } from './usage-names.js';
import { declaredWords, type RankedKey, type Source, type Words } from './words.js';

/** What the reference says of one convention. */
export interface SenderReference {
  name: string;
  senders: string;
  /** Which of its attributes tell what. */
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

function rowsOf(words: Words): [string, string[]][] {
  const { usage = {}, cost = {}, parameters = {}, values = {} } = words;
  return [
    ['model', (words.model?.requested ?? []).map(plain)],
    ['model that answered', words.model?.answering ?? []],
    ['provider', words.provider ?? []],
    ['token counts', [...belowAll(usage.prefixes), ...insideAll(usage.objects), ...belowAll(usage.mixedPrefixes)]],
    [
      'token counts of its own',
      Object.values(usage.counts ?? {})
        .flat()
        .map(written),
    ],
    ['cost', [...(cost.totals ?? []).map(written), ...belowAll(cost.prefixes), ...insideAll(cost.objects)]],
    ['cost among other things', insideAll(cost.mixedObjects)],
    ['user', (words.user ?? []).map(plain)],
    ['conversation', (words.conversation ?? []).map(plain)],
    ['tags', words.tags ?? []],
    ['metadata', (words.metadata ?? []).map(({ prefix, object }) => object ?? `${prefix}*`)],
    ['parameters', [...Object.values(parameters.named ?? {}).flat(), ...belowAll(parameters.prefixes)]],
    ['parameters as an object', parameters.objects ?? []],
    ['tools', (words.tools ?? []).map(([key, member]) => (member === undefined ? key : `${key} → ${member}`))],
    ['prompt variables', words.variables ?? []],
    ['finish reasons', words.finishReasons ?? []],
    ['kind of span', (words.marks ?? []).map(({ key }) => key)],
    ['messages', [...(words.messages ?? []), ...(words.texts ?? [])].flatMap(({ keys }) => keys)],
    ['input', values.input ?? []],
    ['output', values.output ?? []],
  ];
}

const plain = (key: RankedKey): string => (typeof key === 'string' ? key : key[0]);
const written = (source: Source): string => (typeof source === 'string' ? source : source.join(' → '));
const belowAll = (prefixes: string[] = []): string[] =>
  prefixes.map((prefix) => (prefix === '' ? 'names without a prefix' : `${prefix}*`));
const insideAll = (objects: Source[] = []): string[] => objects.map((object) => `${written(object)} → *`);
