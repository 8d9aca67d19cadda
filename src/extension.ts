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

export { asText } from './grid/column-type/values.js';
export type { CellContext, LoggedRequest, RecordedCall } from './grid/column-type/cell-context.js';
export {
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
  TransientFailure,
} from './grid/column-type/column-type.js';
export { SourceColumn, SourceColumns, SourceMap } from './grid/column-type/source-fields.js';
export { type Importer, ImportFailure, type ImportOperation, type ImportPlan, ImportsFrom } from './imports/index.js';

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
export type { Prompt } from './llm/shared/blueprint.js';
export type { PromptReference } from './llm/shared/prompt-reference.js';

/** The transaction that importers and consumers of events get. */
export type { EntityManager } from 'typeorm';
