import { TextField } from '../platform/http/fields.js';
import { type JsonObject, type JsonValue, setOwn } from '../platform/json.js';
import {
  CellFailure,
  ColumnType,
  type ComputingColumnType,
  type InputColumn,
} from '../grid/column-type/column-type.js';
import { SourceColumns } from '../grid/column-type/source-fields.js';
import { fillPlaces, namesOf } from '../grid/column-type/title-texts.js';
import { uniqueNames } from '../grid/column-type/unique-names.js';
import { asText } from '../grid/column-type/values.js';

class CombineColumnsConfig {
  @SourceColumns({ minItems: 1, description: 'The columns to combine, by title or id, in this order.' })
  sources: JsonValue[];

  @TextField({
    optional: true,
    nullable: true,
    description: 'Joins the texts of the columns into one text, with this in between.',
  })
  separator?: string | null;

  @TextField({
    template: 'sources',
    advanced: true,
    optional: true,
    nullable: true,
    description:
      'A text with titles, or ids, of the sources in braces in place of their values; wins over `separator`. It follows when a source is renamed.',
    example: '{Question}: {Answer}',
  })
  format?: string | null;
}

@ColumnType({
  name: 'COMBINE_COLUMNS',
  title: 'Combine columns',
  description: 'An object with the value of each column under its title, or one text made of all.',
  kind: 'deterministic',
  group: 'compute',
  output: 'json',
  config: CombineColumnsConfig,
  readsTitles: true,
  titleTexts: ['format'],
})
export class CombineColumnsColumnType implements ComputingColumnType<CombineColumnsConfig> {
  compute({ sources, separator, format }: CombineColumnsConfig, inputs: InputColumn[]): JsonValue {
    if (typeof format === 'string') return fill(format, sources, listedIn(inputs));
    if (typeof separator === 'string') return sources.map(asText).join(separator);
    return combine(sources, listedIn(inputs));
  }
}

/** Columns may share a title, but keys must be unique. */
function combine(sources: JsonValue[], listed: InputColumn[]): JsonObject {
  const names = uniqueNames(listed.map(({ title }) => title));
  const combined: JsonObject = {};
  listed.forEach(({ position }, index) => setOwn(combined, names[index]!, sources[position!] ?? null));
  return combined;
}

function fill(format: string, sources: JsonValue[], listed: InputColumn[]): string {
  const columns = namesOf(listed);
  return fillPlaces(format, (name) => {
    const column = columns.get(name);
    if (!column) throw new CellFailure(`The format names "${name}", which is none of the sources.`);
    return asText(sources[column.position!]);
  });
}

const listedIn = (inputs: InputColumn[]) => inputs.filter(({ position }) => position !== null);
