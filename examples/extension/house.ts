import {
  asText,
  type CellContext,
  type CellResult,
  type CellRow,
  ColumnType,
  type ComputingColumnType,
  Convention,
  type EntityManager,
  EventConsumer,
  type EventConsumerPlugin,
  type ExternalColumnType,
  type Importer,
  type ImportOperation,
  type ImportPlan,
  ImportsFrom,
  type JsonObject,
  type JsonValue,
  type ModelCall,
  type ModelConnection,
  ModelProvider,
  type ModelProviderPlugin,
  type ModelRequest,
  type ModelResponse,
  Module,
  type NormalizedSpan,
  type OccurredEvent,
  type ParameterNames,
  type Reading,
  readRecognised,
  SourceColumn,
  SpanAttributes,
  TextField,
  type TraceConvention,
} from 'tracesheet/extension';

/** With the status and the headers the server knows whether and when to try again. */
function refusal({ status, headers }: Response): Error {
  return Object.assign(new Error(`The service answered ${status}.`), { status, headers });
}

class ReverseConfig {
  @SourceColumn()
  source!: JsonValue;
}

@ColumnType({
  name: 'HOUSE_REVERSE',
  title: 'Reversed text',
  description: 'The source, read backwards.',
  kind: 'deterministic',
  output: 'text',
  config: ReverseConfig,
})
export class ReverseColumnType implements ComputingColumnType<ReverseConfig> {
  compute({ source }: ReverseConfig): string {
    return [...asText(source)].reverse().join('');
  }
}

class GreetingConfig {
  @SourceColumn()
  name!: JsonValue;

  @TextField({ description: 'Where the service is that knows how to greet.', example: 'https://greetings.example.com' })
  url!: string;
}

@ColumnType({
  name: 'HOUSE_GREETING',
  title: 'Greeting',
  description: 'What a service says to whom the source names.',
  kind: 'external',
  output: 'text',
  config: GreetingConfig,
})
class GreetingColumnType implements ExternalColumnType<GreetingConfig> {
  async compute({ config }: CellRow<GreetingConfig>, context: CellContext): Promise<CellResult> {
    const response = await context.fetch(config.url, { method: 'POST', body: asText(config.name) });
    if (!response.ok) throw refusal(response);
    return { value: await response.text(), metrics: { price: 0.001 } };
  }
}

/** Spans of a tracing library that nobody else has. */
@Convention({ name: 'house', order: 5 })
class HouseConvention implements TraceConvention {
  readonly name = 'house';

  read(span: NormalizedSpan): Reading | null {
    const attributes = SpanAttributes.of(span);
    if (!attributes.has('house.model')) return null;
    const implied = {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'house',
      'gen_ai.request.model': attributes.text('house.model'),
      'gen_ai.input.messages': [{ role: 'user', content: attributes.text('house.question') }],
    };
    return readRecognised(span, attributes.withImplied(implied));
  }
}

@ModelProvider({ name: 'house', credential: { baseUrlRequired: true } })
class HouseProvider implements ModelProviderPlugin {
  async call({ kwargs }: ModelRequest, { baseUrl, secret, fetch, signal }: ModelConnection): Promise<ModelResponse> {
    const response = await fetch(`${baseUrl}/answers`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-house-key': secret },
      body: JSON.stringify(kwargs),
      signal,
    });
    if (!response.ok) throw refusal(response);
    const { answer } = (await response.json()) as { answer: string };
    return {
      functionName: 'house.answer',
      response: { choices: [{ message: { role: 'assistant', content: answer } }] },
    };
  }

  toKwargs({ prompt, model, parameters }: ModelCall): JsonObject {
    return { text: JSON.stringify(prompt), model, ...parameters };
  }

  parameterNames(): ParameterNames {
    return { maxTokens: ['length'] };
  }
}

const QUESTIONS = ['Where is my parcel?', 'May I get a refund?'];

@ImportsFrom('house_questions')
class QuestionsImporter implements Importer {
  plan(): Promise<ImportPlan> {
    return Promise.resolve({ titles: ['Question'], rowCount: QUESTIONS.length, source: {} });
  }

  read(
    _tx: EntityManager,
    _operation: ImportOperation,
    _plan: ImportPlan,
    { from, to }: { from: number; to: number },
  ): Promise<(string | null)[][]> {
    return Promise.resolve(QUESTIONS.slice(from, to).map((question) => [question]));
  }
}

/** Counts, as long as the process runs, how often a label was moved. */
@EventConsumer({ name: 'house_labels', types: ['prompt_template_label_created', 'prompt_template_label_moved'] })
export class LabelsConsumer implements EventConsumerPlugin {
  seen = 0;

  consume(_tx: EntityManager, _workspaceId: number, events: OccurredEvent[]): Promise<() => void> {
    return Promise.resolve(() => {
      this.seen += events.length;
    });
  }
}

@Module({
  providers: [ReverseColumnType, GreetingColumnType, HouseConvention, HouseProvider, QuestionsImporter, LabelsConsumer],
})
export default class HouseModule {}
