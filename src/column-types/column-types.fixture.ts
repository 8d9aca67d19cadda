import 'reflect-metadata';
import type { Type } from '@nestjs/common';
import type { JsonObject, JsonValue } from '../platform/json.js';
import { Isolation } from '../platform/sandbox/expressions/isolation.js';
import { Sandbox } from '../platform/sandbox/sandbox.js';
import { onBehalfOf } from '../platform/sandbox/turn-owner.js';
import type {
  CellOutcome,
  ColumnTypeOptions,
  ComputingColumnType,
  InputColumn,
} from '../grid/column-type/column-type.js';
import { parseConfig } from '../grid/column-type/parse-config.js';

const owner = { workspaceId: 1, keyId: null };
let sandbox: Sandbox | null = null;

/** Stops the sandbox of a file's cases. The next file, which may run in the same process, starts another one. */
export async function endSandbox(): Promise<void> {
  await sandbox?.onApplicationShutdown();
  sandbox = null;
}

type TypeClass = Type<ComputingColumnType>;

function registered(type: TypeClass) {
  const options = Reflect.getMetadata('plugin:column type', type) as ColumnTypeOptions;
  sandbox ??= new Sandbox({ processes: 1 });
  return { options, plugin: new type(new Isolation(sandbox)) };
}

/** The parsed config. Throws the errors of saving the column. */
export function parsed(type: TypeClass, config: JsonObject): JsonObject {
  return parseConfig(registered(type), config);
}

/** The value of a cell or the reason why it fails, with the values of a row in place of the references. */
export async function cellOf(type: TypeClass, config: JsonObject, inputs: InputColumn[] = []): Promise<CellOutcome> {
  const { plugin } = registered(type);
  if (plugin.computeMany) return (await onBehalfOf(owner, () => plugin.computeMany!([config], inputs, [[]])))[0]!;
  try {
    return { value: plugin.compute!(config, inputs, []) };
  } catch (error) {
    return { error: (error as Error).message };
  }
}

/** The explanation of the value of such a cell. */
export async function explained(type: TypeClass, config: JsonObject): Promise<JsonValue> {
  const outcome = await cellOf(type, config);
  const result = 'error' in outcome ? null : outcome.value;
  return onBehalfOf(owner, () => registered(type).plugin.explain!(config, [], result));
}

/** Columns of a list, by title. */
export function listed(...columns: [title: string, isText?: boolean][]): InputColumn[] {
  return columns.map(([title, isText = false], position) => ({
    key: 'sources',
    position,
    variable: null,
    id: `id-${position}`,
    title,
    isText,
  }));
}
