import type { JsonObject, ScorecardStepBody, ScorecardStepInput } from '../api/schema.gen';

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

/** A step as the scorecard has it. */
export type ReadStep = Pick<ScorecardStepBody, 'id' | 'title' | 'primitive_type' | 'primitive_config'>;

/** The steps of an existing scorecard. The form of a template edits those that it can show. */
export function keptScorers(steps: ReadStep[]): Scorer[] {
  return steps.map(({ id, title, primitive_type: type, primitive_config: config }) => {
    const found = Object.entries(TEMPLATES).find(([, template]) => template.make().type === type);
    // A comparison with a fixed value has no column with the expected text.
    const isShown = type !== TEMPLATES.equals.make().type || sourcesOf(config).length === 2;
    const template = isShown ? ((found?.[0] ?? '') as Scorer['template']) : '';
    return { template, id, title, type, config: { ...config } };
  });
}

export const sourcesOf = ({ sources }: Record<string, unknown>): string[] =>
  Array.isArray(sources) ? sources.map((name) => String(name)) : [];

/** Position of the expected text among the two columns that are compared. `output` has the title and id of the outputs. */
export function expectedAt({ id, config }: Scorer, output: string[]): 0 | 1 {
  const [first = '', second = ''] = sourcesOf(config);
  return id !== '' && output.includes(second) && !output.includes(first) ? 0 : 1;
}

/** The columns of the outputs, now and before. */
export interface Aim {
  /** Title of the column with the outputs. */
  output: string;
  /** Title and id of the column that was evaluated before; empty when it is the same. */
  before: string[];
}

/**
 * The step in the form that the API takes. A new one reads the outputs; an existing one keeps its columns, except the
 * one that was evaluated before.
 */
export function stepOf(scorer: Scorer, aim: Aim): ScorecardStepInput {
  const { id, title, type, template, config } = scorer;
  const named = title.trim() || (isKnown(template) ? TEMPLATES[template].label : type);
  const aimed = template === '' ? config : id === '' ? newConfig(scorer, aim.output) : movedConfig(config, aim);
  return { ...(id !== '' && { id }), title: named, primitive_type: type, primitive_config: aimed as JsonObject };
}

function newConfig({ template, config }: Scorer, output: string): Record<string, unknown> {
  if (template === 'equals') return { ...config, sources: [output, sourcesOf(config)[1] ?? ''] };
  return { ...config, source: output };
}

function movedConfig(config: Record<string, unknown>, { output, before }: Aim): Record<string, unknown> {
  const moved = (name: unknown) => (before.includes(String(name)) ? output : name);
  return {
    ...config,
    ...('source' in config && { source: moved(config.source) }),
    ...(Array.isArray(config.sources) && { sources: config.sources.map(moved) }),
  };
}

/** Throws an Error that names a field that is empty. */
export function requireFields({ id, template, title, config }: Scorer): void {
  const named = title.trim() || (isKnown(template) ? TEMPLATES[template].label : '');
  // A new step has no first column yet: it becomes the outputs.
  const compared = sourcesOf(config).slice(id === '' ? 1 : 0);
  if (template === 'equals' && (compared.length === 0 || compared.includes(''))) {
    throw new Error(`${named}: choose the column with the expected text.`);
  }
  const needed = { contains: config.value, pattern: config.regex_pattern, judge: config.prompt }[String(template)];
  if (needed !== undefined && needed !== null && String(needed).trim() === '') {
    throw new Error(`${named}: say what to look for.`);
  }
}
