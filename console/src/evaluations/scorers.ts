import type { ScorecardStepInput } from '../api/schema.gen';

/** A step of the scorecard in the wizard. Steps without a template existed before and are kept. */
export interface Scorer {
  template: TemplateName | '';
  /** Id of the step that is kept; empty for a new one. */
  id: string;
  title: string;
  type: string;
  config: Record<string, unknown>;
}

/** Values that a template asks for. */
export type ScorerField = 'expected' | 'text' | 'pattern' | 'schema' | 'question';

interface Template {
  label: string;
  hint: string;
  fields: ScorerField[];
  make: () => Omit<Scorer, 'template' | 'id'>;
}

/** Checks that most evaluations begin with. Their defaults work unchanged. */
export const TEMPLATES = {
  equals: {
    label: 'Equals',
    hint: 'The output is the text of another column.',
    fields: ['expected'],
    make: () => ({
      title: 'Equals the expected text',
      type: 'COMPARE',
      config: { sources: [], comparison_type: { type: 'STRING' } },
    }),
  },
  contains: {
    label: 'Contains',
    hint: 'The output contains a text.',
    fields: ['text'],
    make: () => ({ title: 'Contains', type: 'CONTAINS', config: { value: '' } }),
  },
  pattern: {
    label: 'Pattern',
    hint: 'A regular expression matches in the output.',
    fields: ['pattern'],
    make: () => ({ title: 'Matches a pattern', type: 'REGEX', config: { regex_pattern: String.raw`\S` } }),
  },
  structure: {
    label: 'JSON Schema',
    hint: 'The output is JSON that fits a schema.',
    fields: ['schema'],
    make: () => ({ title: 'Fits the schema', type: 'STRUCTURE', config: { schema: '{"type": "object"}' } }),
  },
  judge: {
    label: 'LLM judge',
    hint: 'A model answers a question about the output with yes or no, and says why.',
    fields: ['question'],
    make: () => ({
      title: 'Judge',
      type: 'LLM_ASSERTION',
      config: { prompt: 'Does the text answer what was asked, without anything made up?', engine: null },
    }),
  },
} as const satisfies Record<string, Template>;

export type TemplateName = keyof typeof TEMPLATES;

export const newScorer = (template: TemplateName): Scorer => ({ template, id: '', ...TEMPLATES[template].make() });

const isKnown = (name: string): name is TemplateName => Object.hasOwn(TEMPLATES, name);

export const fieldsOf = ({ template }: Scorer): readonly ScorerField[] =>
  isKnown(template) ? TEMPLATES[template].fields : [];

/** The steps of a scorecard that is there. */
export function keptScorers(
  steps: { id: string; title: string; primitive_type: string; primitive_config: unknown }[],
): Scorer[] {
  return steps.map(({ id, title, primitive_type: type, primitive_config: config }) => {
    const found = Object.entries(TEMPLATES).find(([, template]) => template.make().type === type);
    return { template: (found?.[0] ?? '') as Scorer['template'], id, title, type, config: { ...(config as object) } };
  });
}

/** The step in the form that the API takes. Throws an Error that names the missing fields. */
export function stepOf(scorer: Scorer, output: string): ScorecardStepInput {
  const { id, title, type, template, config } = scorer;
  const named = title.trim() || (isKnown(template) ? TEMPLATES[template].label : type);
  const step = { ...(id !== '' && { id }), title: named, primitive_type: type };
  if (template === '') return { ...step, primitive_config: config } as ScorecardStepInput;
  return { ...step, primitive_config: configOf(scorer, named, output) } as ScorecardStepInput;
}

function configOf({ template, config }: Scorer, title: string, output: string): Record<string, unknown> {
  if (template === 'equals') {
    const expected = String((config.sources as string[])[1] ?? '');
    if (expected === '') throw new Error(`${title}: choose the column with the expected text.`);
    return { ...config, sources: [output, expected] };
  }
  const needed = { contains: config.value, pattern: config.regex_pattern, judge: config.prompt }[String(template)];
  if (needed !== undefined && needed !== null && String(needed).trim() === '') {
    throw new Error(`${title}: say what to look for.`);
  }
  return { ...config, source: output };
}
