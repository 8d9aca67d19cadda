import { estimateTokens } from '../llm/index.js';
import type { JsonObject, JsonValue } from '../platform/json.js';
import type { CellContext } from '../grid/column-type/cell-context.js';
import {
  type CellEstimate,
  CellFailure,
  type CellResult,
  type CellRow,
  ColumnType,
  type ExternalColumnType,
} from '../grid/column-type/column-type.js';
import { SourceColumns } from '../grid/column-type/source-fields.js';
import { asText } from '../grid/column-type/values.js';
import { DefaultModels, toEngine } from './default-models.js';
import { CellModelCalls } from './model-calls.js';
import { CredentialField, type Engine, EngineField } from './prompt-config.js';
import { listSources } from './two-sources.js';

class CosineSimilarityConfig {
  @SourceColumns({ minItems: 2, maxItems: 2, description: 'Two columns whose texts are compared.' })
  sources: JsonValue[];

  @EngineField(
    'The model that embeds the texts; it takes no parameters. Without it that is the `embedding_model` of the workspace, or else the one of the server (LLM_EMBEDDING_MODEL).',
  )
  engine?: Engine | null;

  @CredentialField()
  credential?: string | null;
}

@ColumnType({
  name: 'COSINE_SIMILARITY',
  title: 'Similarity of meaning',
  description:
    'How similar two texts are, from 0 to 1: the cosine of their embeddings. Equal texts are 1. Cells fail where a text is empty: it has no meaning to compare.',
  kind: 'external',
  group: 'compute',
  output: 'number',
  config: CosineSimilarityConfig,
  revision: 2,
  normalize: listSources,
})
export class CosineSimilarityColumnType implements ExternalColumnType<CosineSimilarityConfig> {
  constructor(
    private readonly models: DefaultModels,
    private readonly calls: CellModelCalls,
  ) {}

  dependsOn(config: JsonObject, { workspaceId }: { workspaceId: number }): Promise<string> {
    return this.models.embedding(config, workspaceId);
  }

  async estimate(
    { config }: CellRow<CosineSimilarityConfig>,
    { workspaceId }: { workspaceId: number },
  ): Promise<CellEstimate | null> {
    const { provider, model } = toEngine(await this.models.embedding({ ...config } as JsonObject, workspaceId));
    const { input: inputTokens } = estimateTokens({ input: config.sources.map(asText) });
    return { provider, model, inputTokens, outputTokens: 0 };
  }

  async compute({ config }: CellRow<CosineSimilarityConfig>, context: CellContext): Promise<CellResult> {
    const texts = [asText(config.sources[0]), asText(config.sources[1])];
    // Vendors reject empty texts, and the similarity to one is undefined.
    const empty = texts.findIndex((text) => text.trim() === '');
    if (empty >= 0) throw new CellFailure(`The ${empty === 0 ? 'first' : 'second'} source is empty.`);
    if (texts[0] === texts[1]) return { value: 1 };
    const { provider, model } = toEngine(context.dependsOn);
    const ask = { provider, model, texts, credential: config.credential || null };
    const [first, second] = await this.calls.embed(ask, context);
    return { value: cosine(first, second) };
  }
}

/** A number between 0 and 1. Vectors in opposite directions count as not similar at all. */
function cosine(a: number[] | undefined, b: number[] | undefined): number {
  if (!isVector(a) || !isVector(b) || a.length !== b.length) {
    throw new CellFailure('The embeddings model did not answer with two vectors of the same length.');
  }
  const dot = (x: number[], y: number[]) => x.reduce((sum, value, index) => sum + value * y[index]!, 0);
  const lengths = Math.sqrt(dot(a, a)) * Math.sqrt(dot(b, b));
  if (lengths === 0)
    throw new CellFailure('The embeddings model answered with a vector of zeros, which has no direction.');
  return Math.min(1, Math.max(0, dot(a, b) / lengths));
}

function isVector(vector: number[] | undefined): vector is number[] {
  return vector !== undefined && vector.length > 0 && vector.every(Number.isFinite);
}
