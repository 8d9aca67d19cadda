import type { RawPromptResponse } from '../api/schema.gen';
import { changedParameters, type EditableMessage, editableMessages, editedContent, editedModel } from './template-text';
import { parseField } from '../ui/exact-json';

/** A version that is being edited. Fields that are JSON are kept as they were typed. */
export interface Draft {
  /** False for a completion, which is a single text. */
  isChat: boolean;
  messages: EditableMessage[];
  model: { provider: string; name: string };
  parameters: string;
  tools: string;
  /** The response format, which is one of the parameters. */
  schema: string;
}

export function draftOf({ prompt_template: template, metadata }: RawPromptResponse): Draft {
  const { provider = '', name = '' } = metadata?.model ?? {};
  const { response_format: format, ...parameters } = metadata?.model?.parameters ?? {};
  return {
    isChat: template.type === 'chat',
    messages: editableMessages(template),
    model: { provider, name },
    parameters: jsonOf(Object.keys(parameters).length > 0 ? parameters : null),
    tools: jsonOf(toolsOf(template)),
    schema: jsonOf(format),
  };
}

/** The body of a PATCH for a draft. Throws an Error that names a field to correct. */
export function patchOf(prompt: RawPromptResponse, draft: Draft): object {
  const before = draftOf(prompt);
  const { prompt_template: template, metadata } = prompt;
  const { parameters, tools, schema } = draft;
  const model = editedModel(Boolean(metadata?.model), draft.model);
  const { response_format: format, ...given } = metadata?.model?.parameters ?? {};
  return {
    ...editedContent(template, draft.messages),
    ...(model && { model }),
    ...(parameters.trim() !== before.parameters.trim() && changedParameters(given, parameters.trim())),
    ...(tools.trim() !== before.tools && { tools: parse(tools, 'The tools') }),
    ...(schema.trim() !== before.schema && {
      response_format: parse(schema, 'The response format') ?? removed(format),
    }),
  };
}

/** Everything of a draft, for comparing. */
export function draftText({ model, parameters, messages, tools, schema }: Draft): string {
  const line = (name: string, value: string) => (value.trim() === '' ? [] : [`${name}: ${value.trim()}`]);
  return [
    ...line('model', [model.provider.trim(), model.name.trim()].filter(Boolean).join('/')),
    ...line('parameters', parameters),
    ...messages.map(({ role, text }) => `${role || 'text'}:\n${text}`),
    ...line('tools', tools),
    ...line('response format', schema),
  ].join('\n\n');
}

/** Null removes a response format. Without one, null would be a conflict. */
const removed = (format: unknown): null | undefined => (format === undefined ? undefined : null);

function toolsOf(template: object): unknown {
  const { tools } = template as { tools?: unknown[] | null };
  return tools && tools.length > 0 ? tools : null;
}

const jsonOf = (value: unknown): string =>
  value === null || value === undefined ? '' : JSON.stringify(value, null, 2);

const parse = (text: string, field: string): unknown => (text.trim() === '' ? null : parseField(text, field));
