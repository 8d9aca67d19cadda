import { QueryIdField, SuccessField } from '../../platform/http/common-fields.js';
import { ValidationProblem } from '../../platform/errors/problem.js';
import { parseExactly } from '../../platform/exact-integers.js';
import { FilterSemanticsError, FilterSyntaxError } from '../../platform/filters/errors.js';
import { EnumField, ListField, TextField } from '../../platform/http/fields.js';
import { Closed } from '../../platform/http/validation.pipe.js';
import { isValueField, SUGGESTION_FIELDS, type SuggestionField } from './suggestions.queries.js';
import type { SuggestionRequest } from './suggestions.service.js';

@Closed()
export class SuggestionsQuery {
  @EnumField(SUGGESTION_FIELDS, {
    query: true,
    description: 'The field whose values are suggested.',
    example: 'engine',
  })
  field: SuggestionField;

  @TextField({
    optional: true,
    query: true,
    maxLength: 1000,
    description: 'Only values that begin with this. Letter case does not matter.',
  })
  prefix?: string;

  @TextField({
    optional: true,
    query: true,
    maxLength: 1024,
    description:
      'The key whose values are suggested. Required for `metadata_values`, `output_values` and `input_variable_values`.',
  })
  metadata_key?: string;

  @QueryIdField('Only for `prompt`: the prompt whose versions are suggested.')
  prompt_id?: number;

  @TextField({
    optional: true,
    query: true,
    description: 'A filter group as JSON: only logs that match it are looked at.',
    example: '{"filters": [{"field": "status", "operator": "is", "value": "ERROR"}]}',
  })
  filter_group?: string;
}

export class SuggestionsResponse {
  @SuccessField()
  success: true;

  @ListField('string', { description: 'Up to 25 values, most frequent first, then alphabetical.' })
  values: string[];
}

/** Throws a 422 when the key of the values is missing or the filter group is no JSON. */
export function toSuggestionRequest(query: SuggestionsQuery): SuggestionRequest {
  const { field, prefix = '', metadata_key: key, prompt_id: promptId = null } = query;
  if (isValueField(field) && !key) throw refusal('metadata_key', 'Field required', 'missing');
  return { field, prefix, key: key ?? null, promptId, filterGroup: parseGroup(query.filter_group) };
}

function parseGroup(text: string | undefined): unknown {
  // Forms send an empty text for null.
  if (!text) return null;
  try {
    return parseExactly(text);
  } catch {
    throw refusal('filter_group', 'Input should be a filter group as JSON', 'json_invalid');
  }
}

/** The filter group is a query parameter here, and whatever is wrong with it a 422. */
export async function refuseAsQuery<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof FilterSemanticsError) throw refusal('filter_group', error.message, 'value_error');
    if (!(error instanceof FilterSyntaxError)) throw error;
    throw new ValidationProblem(
      error.details.map(({ loc, ...detail }) => ({ loc: ['query', ...loc.slice(1)], ...detail })),
    );
  }
}

function refusal(name: string, msg: string, type: string): ValidationProblem {
  return new ValidationProblem([{ loc: ['query', name], msg, type }]);
}
