import { toParameters, toPrompt, toVariant, variablesOf } from '../playground/variant';
import { isSame, withEdits } from './kept-edits';
import type { Draft, SheetColumn } from './wizard-state';

type Config = Record<string, unknown>;

interface PromptConfig {
  inline_template?: { prompt_template: never; metadata?: { model?: never } | null } | null;
  template?: { name: string; label?: string | null; version_number?: number | null } | null;
  prompt_template_variable_mappings?: Draft['mappings'] | null;
}

export type ColumnDraft = Pick<Draft, 'runs' | 'mappings'> & Partial<Pick<Draft, 'variant' | 'prompt' | 'output'>>;

/** The part of the draft that comes from a column. */
export function draftOf({ title, config }: Pick<SheetColumn, 'title' | 'config'>): ColumnDraft {
  const { inline_template: inline, template, prompt_template_variable_mappings: mappings } = config as PromptConfig;
  const common = { output: title, mappings: { ...mappings } };
  if (inline) {
    const model = inline.metadata?.model ?? null;
    return { ...common, runs: 'model', variant: toVariant(inline.prompt_template, model) };
  }
  if (!template) return { ...common, runs: 'column' };
  const { name: id, label, version_number: version } = template;
  return { ...common, runs: 'prompt', prompt: { id, label: label ?? '', version: version ?? null } };
}

/** Variables of the message to send. */
export const variablesIn = ({ variant }: ColumnDraft): string[] => (variant ? variablesOf([variant]) : []);

/**
 * The config of the column with the outputs. Of an existing column only what was edited since the draft was filled
 * changes; without edits it is the config itself. Throws an Error that names the missing fields.
 */
export function configOf(draft: Draft, variables: string[], existing: { now: Config; filled: Config } | null): Config {
  const before = existing && draftOf({ title: '', config: existing.filled });
  requireFields(draft, variables, before?.mappings ?? {});
  const after = formConfig(draft, variables);
  if (!existing || !before) return after;
  return withEdits(existing.now, formConfig(before, variablesBefore(before, draft, variables)), after) as Config;
}

/** Variables of another prompt of the registry are not known; their mappings are replaced. */
function variablesBefore(before: ColumnDraft, draft: Draft, variables: string[]): string[] {
  if (before.runs === 'model') return variablesIn(before);
  const isKept = draft.runs === 'prompt' && isSame(before.prompt, draft.prompt);
  return isKept ? variables : Object.keys(before.mappings);
}

/** A variable without a column is kept when the column had it. */
function requireFields(
  { runs, prompt, variant, mappings }: Draft,
  variables: string[],
  before: Draft['mappings'],
): void {
  const isLeft = (name: string) => Object.hasOwn(before, name) && before[name] === mappings[name];
  const missing = variables.find((name) => !mappings[name] && !isLeft(name));
  if (missing !== undefined) throw new Error(`Choose the column for the variable ${missing}.`);
  if (runs === 'prompt' && prompt.id === '') throw new Error('Choose a prompt.');
  if (runs === 'model' && (variant.provider.trim() === '' || variant.model.trim() === '')) {
    throw new Error('Choose a provider and a model.');
  }
}

/** The prompt in the form that a config has. */
export const referenceOf = ({ id, label, version }: Draft['prompt']) => ({
  name: id,
  ...(label !== '' && { label }),
  ...(version !== null && { version_number: version }),
});

/** The config with the fields that the wizard shows, and no others. */
function formConfig({ runs, mappings, prompt, variant }: ColumnDraft, variables: string[]): Config {
  const mapped = variables.filter((name) => Object.hasOwn(mappings, name)).map((name) => [name, mappings[name]]);
  const common = { prompt_template_variable_mappings: Object.fromEntries(mapped) as object };
  if (runs === 'prompt' && prompt) return { ...common, template: referenceOf(prompt) };
  if (runs !== 'model' || !variant) return common;
  const [provider, name, credential] = [variant.provider, variant.model, variant.credential].map((text) => text.trim());
  const model = { provider, name, api_type: variant.apiType, parameters: toParameters(variant) };
  return {
    ...common,
    inline_template: { inline: true, prompt_template: toPrompt(variant), metadata: { model } },
    ...(credential !== '' && { credential }),
  };
}
