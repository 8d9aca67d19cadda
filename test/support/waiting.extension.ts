import {
  asText,
  type CellContext,
  CellFailure,
  type CellResult,
  type CellRow,
  ColumnType,
  type ExternalColumnType,
  type JsonValue,
  Module,
  NumberField,
  SourceColumn,
  TextField,
} from 'tracesheet/extension';

class AskConfig {
  @SourceColumn()
  source: JsonValue;

  @TextField({ description: 'Where the service is.' })
  url: string;

  @NumberField({ optional: true, description: 'US dollars for a call; 0.25 by default.' })
  price?: number;
}

/** Asks a service that may take its time. Some sources make the type itself misbehave. */
@ColumnType({
  name: 'ASK',
  title: 'Ask',
  description: 'The answer of a service.',
  kind: 'external',
  output: 'text',
  config: AskConfig,
  measured: { outlived: false },
})
export class AskColumnType implements ExternalColumnType<AskConfig> {
  /** Version that results depend on in addition to their inputs. */
  static version = '1';

  dependsOn(): Promise<string> {
    const { version } = AskColumnType;
    return version === 'none' ? Promise.reject(new CellFailure('There is no version.')) : Promise.resolve(version);
  }

  async compute({ config }: CellRow<AskConfig>, context: CellContext): Promise<CellResult> {
    const text = asText(config.source);
    const odd = ODD[text];
    if (odd) return odd(context);
    const response = await fetch(config.url, { method: 'POST', body: text, signal: context.signal });
    if (!response.ok) throw Object.assign(new Error(`The service answered ${response.status}.`), answerOf(response));
    const value = await response.text();
    return {
      value,
      metrics: { price: config.price ?? 0.25, inputTokens: text.length, outputTokens: value.length },
      requestLogIds: [7],
    };
  }
}

const answerOf = ({ status, headers }: Response) => ({ status, headers });

const ODD: Record<string, (context: CellContext) => Promise<CellResult>> = {
  fail: () => Promise.reject(new CellFailure('The service does not know.', { metrics: { price: 0.5 } })),
  throw: () => {
    throw new TypeError('a bug in the plugin');
  },
  deaf: () => new Promise(() => undefined),
  die: () => {
    process.kill(process.pid, 'SIGKILL');
    return new Promise(() => undefined);
  },
  'late rejection': ({ signal }) =>
    new Promise((_, reject) => signal.addEventListener('abort', () => setTimeout(() => reject(new Error('late')), 50))),
  undefined: () => Promise.resolve(undefined as unknown as CellResult),
  'no value': () => Promise.resolve({} as CellResult),
  nan: () => Promise.resolve({ value: Number.NaN }),
  bigint: () => Promise.resolve({ value: 2n ** 53n }),
  huge: () => Promise.resolve({ value: 'x'.repeat(20_000_000) }),
  'odd metrics': () =>
    Promise.resolve({
      value: 'paid',
      metrics: { price: 'much' as unknown as number, inputTokens: -1, outputTokens: Number.NaN },
    }),
};

@Module({ providers: [AskColumnType] })
export default class WaitingModule {}
