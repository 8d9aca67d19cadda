import { ValidationProblem } from '../../platform/errors/problem.js';
import { isObject, type JsonObject, type JsonValue } from '../../platform/json.js';

/** Filters of a search, with its separate conditions on the output of a span. */
export interface AskedOfOutput {
  filter_group?: JsonObject | null;
  span_output_keys?: string[] | null;
  span_output_values?: JsonValue;
}

/**
 * The filters of a search, including its conditions on the output of one span. Throws a 422 for values of another form.
 */
export function withOutputs(asked: AskedOfOutput): JsonObject | null {
  const { filter_group: group = null, span_output_keys: keys, span_output_values: values = null } = asked;
  const ofKeys = (keys ?? []).map((key): JsonObject => ({
    field: 'span_output_keys',
    operator: 'contains',
    value: key,
  }));
  const filters = [...ofKeys, ...valueFilters(values)];
  if (filters.length === 0) return group;
  const ofOneSpan: JsonObject = { logic: 'SPAN_AND', filters };
  return group === null ? ofOneSpan : { logic: 'AND', filters: [group, ofOneSpan] };
}

function valueFilters(values: JsonValue): JsonObject[] {
  if (values === null) return [];
  if (Array.isArray(values)) return values.map((value, index) => valueFilter(value, null, [index]));
  if (isObject(values)) {
    return Object.entries(values).map(([path, value]) => valueFilter(value!, path, [path]));
  }
  throw notAValue([], 'Input should be an object of paths with their values, or a list of values');
}

function valueFilter(value: JsonValue, path: string | null, at: (string | number)[]): JsonObject {
  const field = { field: 'span_output_values', ...(path !== null && { nested_key: path }) };
  if (path !== null && Array.isArray(value)) {
    value.forEach((item, index) => checkValue(item, [...at, index]));
    return { ...field, operator: 'in', value };
  }
  checkValue(value, at);
  return { ...field, operator: 'in', value: [value] };
}

function checkValue(value: JsonValue, at: (string | number)[]): void {
  if (value === null || typeof value === 'object') throw notAValue(at, 'Input should be a text, a number or a boolean');
}

const notAValue = (at: (string | number)[], msg: string): ValidationProblem =>
  new ValidationProblem([{ loc: ['body', 'span_output_values', ...at], msg, type: 'value_error' }]);
