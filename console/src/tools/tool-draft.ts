import type { JsonObject, SaveToolVersionRequest, ToolVersionBody } from '../api/schema.gen';
import { parseField } from '../ui/exact-json';
import { isObject } from './arguments';

/** A version that is being written. Fields that are JSON are kept as they were typed. */
export interface ToolDraft {
  functionName: string;
  functionDescription: string;
  parameters: string;
  /** Empty for a tool that only an application can run. */
  language: '' | 'python' | 'javascript';
  code: string;
  result: string;
}

type Content = Pick<ToolVersionBody, 'tool_definition' | 'execution' | 'response_schema'>;

export const emptyDraft = (): ToolDraft => ({
  functionName: '',
  functionDescription: '',
  parameters: '',
  language: '',
  code: '',
  result: '',
});

export function draftOf({
  tool_definition: { function: called },
  execution,
  response_schema: result,
}: Content): ToolDraft {
  return {
    functionName: called?.name ?? '',
    functionDescription: called?.description ?? '',
    parameters: jsonOf(called?.parameters),
    language: execution?.language ?? '',
    code: execution?.code ?? '',
    result: jsonOf(result),
  };
}

/**
 * The version in the form that the API takes. Fields that the form does not show are those of `base`. Throws an Error
 * that names a field.
 */
export function contentOf(draft: ToolDraft, base: Content | null): SaveToolVersionRequest {
  const { functionName, functionDescription, parameters, language, code, result } = draft;
  const { parameters: _, ...called } = base?.tool_definition.function ?? {};
  const schema = objectIn(parameters, 'The parameters');
  return {
    tool_definition: {
      type: 'function',
      ...base?.tool_definition,
      function: {
        ...called,
        name: functionName.trim(),
        description: functionDescription.trim() || null,
        ...(schema && { parameters: schema }),
      },
    },
    execution: language === '' ? null : { type: 'code', language, code },
    response_schema: objectIn(result, 'The schema of the result'),
  } as SaveToolVersionRequest;
}

/** Everything of a draft, for comparing. */
export function draftText({
  functionName,
  functionDescription,
  parameters,
  language,
  code,
  result,
}: ToolDraft): string {
  const part = (name: string, text: string) => (text.trim() === '' ? [] : [`${name}:\n${text.trim()}`]);
  return [
    ...part('function', functionName),
    ...part('description', functionDescription),
    ...part('parameters', parameters),
    ...(language === '' ? [] : part(language, code)),
    ...part('result', result),
  ].join('\n\n');
}

/** A name that models can call, made of that of a tool. */
export const functionNameFor = (name: string): string =>
  name
    .trim()
    .replaceAll(/[^A-Za-z0-9_-]+/g, '_')
    .slice(0, 64);

const jsonOf = (value: JsonObject | null | undefined): string => (value ? JSON.stringify(value, null, 2) : '');

function objectIn(text: string, field: string): JsonObject | null {
  if (text.trim() === '') return null;
  const value = parseField(text, field);
  if (isObject(value)) return value as JsonObject;
  throw new Error(`${field}: this is no JSON object.`);
}
