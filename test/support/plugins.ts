import { Module } from '@nestjs/common';
import type { JsonValue } from '../../src/platform/json.js';
import { IntegerField, TextField } from '../../src/platform/http/fields.js';
import { asText } from '../../src/grid/column-type/values.js';
import {
  CellFailure,
  type CellResult,
  type CellRow,
  ColumnType,
  type ComputingColumnType,
  type ExternalColumnType,
} from '../../src/grid/column-type/column-type.js';
import { SourceColumn, SourceColumns } from '../../src/grid/column-type/source-fields.js';

class ShoutConfig {
  @SourceColumn()
  source: JsonValue;

  @TextField({ optional: true, maxLength: 10 })
  mark?: string;
}

/** Writes its source in capitals. Some sources make it fail in one of the ways in which plugins fail. */
@ColumnType({
  name: 'SHOUT',
  title: 'Shout',
  description: 'The source in capitals.',
  kind: 'deterministic',
  output: 'text',
  config: ShoutConfig,
  aliases: ['yell'],
})
export class ShoutColumnType implements ComputingColumnType<ShoutConfig> {
  check({ mark }: ShoutConfig): void {
    if (mark === '?') throw new Error('a question is no shout.');
  }

  compute({ source, mark = '!' }: ShoutConfig): JsonValue {
    const text = asText(source);
    const odd = ODD_RESULTS[text];
    return odd ? odd() : text.toUpperCase() + mark;
  }
}

const ODD_RESULTS: Record<string, () => JsonValue> = {
  fail: () => {
    throw new CellFailure('This row is too quiet.');
  },
  failUnsafe: () => {
    throw new CellFailure('Cannot read \u0000 and \uD800.');
  },
  crash: () => {
    throw new TypeError('a bug in the plugin');
  },
  throwNothing: () => {
    throw null;
  },
  nothing: () => undefined as unknown as JsonValue,
  bigint: () => 2n ** 53n,
  circular: () => {
    const loop: Record<string, unknown> = {};
    loop.self = loop;
    return loop as JsonValue;
  },
  nan: () => Number.NaN,
  unsafe: () => 'a\u0000b\uD800c',
};

class JoinConfig {
  @SourceColumns({ minItems: 1, maxItems: 10 })
  sources: JsonValue[];
}

/** Several columns in one text. */
@ColumnType({
  name: 'JOIN',
  title: 'Join',
  description: 'Its sources, one after the other.',
  kind: 'deterministic',
  output: 'text',
  config: JoinConfig,
})
export class JoinColumnType implements ComputingColumnType<JoinConfig> {
  compute({ sources }: JoinConfig): string {
    return sources.map(asText).join('+');
  }
}

class PairConfig {
  @SourceColumn()
  left: JsonValue;

  @SourceColumn()
  right: JsonValue;
}

/** Two columns side by side. */
@ColumnType({
  name: 'PAIR',
  title: 'Pair',
  description: 'Its two sources with a bar between them.',
  kind: 'deterministic',
  output: 'text',
  config: PairConfig,
})
export class PairColumnType implements ComputingColumnType<PairConfig> {
  compute({ left, right }: PairConfig): string {
    return `${asText(left)}|${asText(right)}`;
  }
}

class RatingConfig {
  @IntegerField()
  max: number;
}

/** Waits for a person to rate the row. */
@ColumnType({
  name: 'RATING',
  title: 'Rating',
  description: 'A number from 1 to `max`.',
  kind: 'manual',
  output: 'number',
  config: RatingConfig,
})
export class RatingColumnType {
  accept({ max }: RatingConfig, value: JsonValue): JsonValue {
    const rating = Number(value);
    if (!(rating >= 1 && rating <= max)) throw new Error(`a rating is a number from 1 to ${max}.`);
    return rating;
  }
}

class WeatherConfig {
  @SourceColumn()
  city: JsonValue;
}

/** External type with a result that may differ every time. */
@ColumnType({
  name: 'WEATHER',
  title: 'Weather',
  description: 'The weather in a city.',
  kind: 'external',
  output: 'text',
  config: WeatherConfig,
  reusesResults: false,
})
export class WeatherColumnType implements ExternalColumnType<WeatherConfig> {
  /** Weather everywhere, until a test changes it. */
  static today = 'sunny';

  compute({ config: { city } }: CellRow<WeatherConfig>): Promise<CellResult> {
    if (WeatherColumnType.today === 'unknown') return Promise.reject(new CellFailure('Nobody knows.'));
    return Promise.resolve({ value: { [asText(city)]: WeatherColumnType.today, checked: true } });
  }
}

class EchoConfig {
  @SourceColumn()
  source: JsonValue;
}

/** External type with the same result every time, which sometimes fails. */
@ColumnType({
  name: 'ECHO',
  title: 'Echo',
  description: 'The source, as it comes back.',
  kind: 'external',
  output: 'text',
  config: EchoConfig,
})
export class EchoColumnType implements ExternalColumnType<EchoConfig> {
  compute({ config }: CellRow<EchoConfig>): Promise<CellResult> {
    const text = asText(config.source);
    return text === 'fail' ? Promise.reject(new CellFailure('Silence.')) : Promise.resolve({ value: `~${text}` });
  }
}

/** Module that an enterprise team would pass to `AppModule.with`. */
@Module({
  providers: [ShoutColumnType, JoinColumnType, PairColumnType, RatingColumnType, WeatherColumnType, EchoColumnType],
})
export class TestColumnTypesModule {}
