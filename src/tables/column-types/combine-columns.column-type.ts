import { TextField } from '../../platform/http/fields.js';
import { type JsonObject, type JsonValue, setOwn } from '../../platform/json.js';
import {
  CellFailure,
  ColumnType,
  type ComputingColumnType,
  type InputColumn,
} from '../grid/column-type/column-type.js';
import { SourceColumns } from '../grid/column-type/source-fields.js';
import { uniqueNames } from '../grid/column-type/unique-names.js';
import { asText } from '../grid/column-type/values.js';

class CombineColumnsConfig {
  @SourceColumns({ minItems: 1 })
  sources: JsonValue[];

  @TextField({ optional: true, nullable: true, description: 'Joins the texts of the columns with this.' })
  separator?: string | null;

  @TextField({
    optional: true,
    nullable: true,
    description: 'A text with titles in braces in place of the values; wins over `separator`.',
    example: '{Question}: {Answer}',
  })
  format?: string | null;
}

@ColumnType({
  name: 'COMBINE_COLUMNS',
  title: 'Combine columns',
  description: 'An object with the value of each column under its title, or one text made of all.',
  kind: 'deterministic',
  output: 'json',
  config: CombineColumnsConfig,
  readsTitles: true,
})
export class CombineColumnsColumnType implements ComputingColumnType<CombineColumnsConfig> {
  compute({ sources, separator, format }: CombineColumnsConfig, inputs: InputColumn[]): JsonValue {
    if (typeof format === 'string') return fill(format, combine(sources, inputs));
    if (typeof separator === 'string') return sources.map(asText).join(separator);
    return combine(sources, inputs);
  }
}

/** Columns may share a title, values must not share a key. */
function combine(sources: JsonValue[], inputs: InputColumn[]): JsonObject {
  const listed = inputs.filter(({ position }) => position !== null);
  const names = uniqueNames(listed.map(({ title }) => title));
  const combined: JsonObject = {};
  listed.forEach(({ position }, index) => setOwn(combined, names[index]!, sources[position!] ?? null));
  return combined;
}

function fill(format: string, values: JsonObject): string {
  return format.replace(/\{([^{}]*)\}/g, (_, title: string) => {
    if (!Object.hasOwn(values, title))
      throw new CellFailure(`The format names "${title}", which is none of the sources.`);
    return asText(values[title]);
  });
}
