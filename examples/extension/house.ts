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
  ModelProvider,
  type ModelProviderPlugin,
  Module,
  type NormalizedSpan,
  type OccurredEvent,
  type ParameterNames,
  type Reading,
  readRecognised,
  SourceColumn,
  SpanAttributes,
  type TraceConvention,
} from 'tracesheet/extension';

class ReverseConfig {
  @SourceColumn()
  source: JsonValue;
}

@ColumnType({
  name: 'HOUSE_REVERSE',
  title: 'Reversed text',
  description: 'The source, read backwards.',
  kind: 'deterministic',
  output: 'text',
  config: ReverseConfig,
})
class ReverseColumnType implements ComputingColumnType<ReverseConfig> {
  compute({ source }: ReverseConfig): string {
    return [...asText(source)].reverse().join('');
  }
}

class GreetingConfig {
  @SourceColumn()
  name: JsonValue;
}

/** A real one would call a service and pass on `signal`. */
@ColumnType({
  name: 'HOUSE_GREETING',
  title: 'Greeting',
  description: 'Greets whom the source names.',
  kind: 'external',
  output: 'text',
  config: GreetingConfig,
})
class GreetingColumnType implements ExternalColumnType<GreetingConfig> {
  compute({ config }: CellRow<GreetingConfig>, { signal }: CellContext): Promise<CellResult> {
    signal.throwIfAborted();
    return Promise.resolve({ value: `Hello, ${asText(config.name)}!`, metrics: { price: 0.001 } });
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

@ModelProvider({ name: 'house' })
class HouseProvider implements ModelProviderPlugin {
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
