import { type JsonObject, type JsonValue, setOwn } from '../../platform/json.js';
import { asJson, asNumber, asText, requireBoolean } from '../../grid/column-type/values.js';
import type { InputType, InputVariables } from '../registry/workflow-graph.js';
import { fitsInput } from '../runs/run-inputs.js';

/**
 * Inputs of a run that a cell starts. Cells hold texts, so they are parsed as values of the input's type. An empty cell is an
 * empty text. Throws an Error that names values of a wrong type.
 */
export function inputsFromCells(required: InputVariables, mapped: Map<string, JsonValue>, key: string): JsonObject {
  const missing = Object.keys(required).filter((name) => !mapped.has(name));
  if (missing.length > 0) {
    const names = missing.map((name) => `"${name}"`).join(', ');
    throw new Error(`The workflow asks for ${names}, which ${key} maps to nothing.`);
  }
  const inputs: JsonObject = {};
  for (const [name, type] of Object.entries(required)) setOwn(inputs, name, toInput(name, type, mapped.get(name)!));
  return inputs;
}

function toInput(name: string, type: InputType, value: JsonValue): JsonValue {
  if (fitsInput(type, value)) return value;
  if (type === 'string') return asText(value);
  const read = value === null ? null : readAs(type, value);
  if (read === null || !fitsInput(type, read)) {
    const given = value === null ? 'empty' : 'something else';
    throw new Error(`The input "${name}" of the workflow should be of the type ${type}, but is ${given}.`);
  }
  return read;
}

function readAs(type: InputType, value: JsonValue): JsonValue {
  try {
    if (type === 'boolean') return requireBoolean(value, '');
    return type === 'number' || type === 'integer' ? (asNumber(value) as JsonValue) : asJson(value);
  } catch {
    return null;
  }
}
