import { Module } from '@nestjs/common';
import { BooleanField } from '../../src/platform/http/fields.js';
import type { JsonObject, JsonValue } from '../../src/platform/json.js';
import { asText } from '../../src/grid/column-type/values.js';
import {
  CellFailure,
  type CellOutcome,
  type CellResult,
  type CellRow,
  ColumnType,
  type ComputingColumnType,
  type ExternalColumnType,
  type InputColumn,
  type LeftValue,
} from '../../src/grid/column-type/column-type.js';
import { SourceColumn, SourceMap } from '../../src/grid/column-type/source-fields.js';

class FormConfig {
  @SourceMap({ specialNames: ['row_number'] })
  fields: JsonObject;
}

/** Its variables and their values in one text. Whatever has the value `fail` makes it fail. */
@ColumnType({
  name: 'FORM',
  title: 'Form',
  description: 'Its variables and their values, such as `a=1&b=2`.',
  kind: 'deterministic',
  output: 'text',
  config: FormConfig,
})
export class FormColumnType implements ComputingColumnType<FormConfig> {
  compute({ fields }: FormConfig): string {
    const names = Object.keys(fields).sort();
    if (names.some((name) => fields[name] === 'fail')) throw new CellFailure('A field says so.');
    return names.map((name) => `${name}=${asText(fields[name])}`).join('&');
  }
}

class EverythingConfig {
  @SourceColumn({ optional: true })
  also?: JsonValue;

  @BooleanField({ optional: true, description: 'In one text that lists titles and values in order.' })
  listed?: boolean;
}

/** Values of all columns to its left, by title. */
@ColumnType({
  name: 'EVERYTHING',
  title: 'Everything',
  description: 'An object of the columns to its left.',
  kind: 'deterministic',
  output: 'json',
  config: EverythingConfig,
  reads: 'left',
})
export class EverythingColumnType implements ComputingColumnType<EverythingConfig> {
  compute({ listed }: EverythingConfig, _: InputColumn[], left: LeftValue[]): JsonValue {
    const entries = left.map(({ title, value }) => [title, value] as const);
    return listed ? JSON.stringify(entries) : Object.fromEntries(entries);
  }
}

/** The same, for many rows at a time. */
@ColumnType({
  name: 'EVERYTHING_TOGETHER',
  title: 'Everything, together',
  description: 'An object of the columns to its left.',
  kind: 'deterministic',
  output: 'json',
  config: EverythingConfig,
  reads: 'left',
})
export class EverythingTogetherColumnType implements ComputingColumnType<EverythingConfig> {
  computeMany(configs: EverythingConfig[], inputs: InputColumn[], lefts: LeftValue[][]): Promise<CellOutcome[]> {
    const { compute } = new EverythingColumnType();
    return Promise.resolve(configs.map((config, row) => ({ value: compute(config, inputs, lefts[row]!) })));
  }
}

/** The same, from outside. */
@ColumnType({
  name: 'EVERYTHING_LATER',
  title: 'Everything, later',
  description: 'An object of the columns to its left.',
  kind: 'external',
  output: 'json',
  config: EverythingConfig,
  reads: 'left',
})
export class EverythingLaterColumnType implements ExternalColumnType<EverythingConfig> {
  compute({ config, inputs, left }: CellRow<EverythingConfig>): Promise<CellResult> {
    return Promise.resolve({ value: new EverythingColumnType().compute(config, inputs, left) });
  }
}

@Module({ providers: [FormColumnType, EverythingColumnType, EverythingTogetherColumnType, EverythingLaterColumnType] })
export class TestSourceTypesModule {}
