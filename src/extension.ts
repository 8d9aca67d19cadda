/**
 * The public API for extensions: `tracesheet/extension`. Everything here keeps its name and meaning within a major
 * version, unlike the rest of the server. `docs/reference/extension.md` describes it.
 */
export { Inject, Injectable, Module } from '@nestjs/common';

export type { JsonObject, JsonValue } from './platform/json.js';
export {
  BooleanField,
  DateTimeField,
  EnumField,
  type FieldOptions,
  IntegerField,
  JsonField,
  JsonObjectField,
  ListField,
  type ListOptions,
  NumberField,
  TextField,
  UuidField,
} from './platform/http/fields.js';

export {
  asText,
  type CellContext,
  type CellEstimate,
  CellFailure,
  type CellOutcome,
  type CellResult,
  type CellRow,
  ColumnType,
  type ColumnTypeOptions,
  type ComputedMetrics,
  type ComputingColumnType,
  type ExternalColumnType,
  type InputColumn,
  type LeftValue,
  type LoggedRequest,
  type RecordedCall,
  SourceColumn,
  SourceColumns,
  SourceMap,
  TransientFailure,
} from './tables/index.js';
export { ImportFailure, type ImportOperation, type Importer, type ImportPlan, ImportsFrom } from './tables/index.js';

export {
  Convention,
  type NormalizedSpan,
  type Reading,
  readMarked,
  readRecognised,
  SpanAttributes,
  type TraceConvention,
} from './trace-conventions/index.js';

export { EventConsumer, type EventConsumerPlugin, type OccurredEvent } from './events/index.js';

export {
  type CredentialNeeds,
  type EmbeddingRequest,
  type EmbeddingResponse,
  type ModelCall,
  type ModelConnection,
  ModelProvider,
  type ModelProviderOptions,
  type ModelProviderPlugin,
  type ModelRequest,
  type ModelResponse,
  type ModelStream,
  type ParameterConcept,
  type ParameterNames,
} from './llm/index.js';
export type { Prompt } from './llm/blueprint.js';
export type { PromptReference } from './llm/prompt-reference.js';

/** The transaction that importers and consumers of events get. */
export type { EntityManager } from 'typeorm';
