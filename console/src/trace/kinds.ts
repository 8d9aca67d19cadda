/** Kinds of spans. Each has a colour and a letter, so that it can be recognised without colours. */
export const KINDS = {
  agent: { letter: 'A', name: 'Agent' },
  model: { letter: 'M', name: 'Model' },
  tool: { letter: 'T', name: 'Tool' },
  retrieval: { letter: 'R', name: 'Retrieval' },
  embedding: { letter: 'E', name: 'Embedding' },
  code: { letter: 'C', name: 'Code' },
} as const;

export type Kind = keyof typeof KINDS;
export const KIND_NAMES = Object.keys(KINDS) as Kind[];

const RULES: [RegExp, Kind][] = [
  [/LLM_CALL|GENERATION|COMPLETION/, 'model'],
  [/TOOL|FUNCTION/, 'tool'],
  [/RETRIEV|RERANK/, 'retrieval'],
  [/EMBED/, 'embedding'],
  [/AGENT|SESSION|CHAIN|WORKFLOW|TASK/, 'agent'],
];

export function kindOf(spanType: string): Kind {
  const type = spanType.toUpperCase();
  return RULES.find(([pattern]) => pattern.test(type))?.[1] ?? 'code';
}

/** The kinds in the URL. */
export function readKinds(text: string): Set<Kind> {
  return new Set(KIND_NAMES.filter((kind) => text.split(',').includes(kind)));
}
