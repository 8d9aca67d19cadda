import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { LlmModule } from '../llm/index.js';
import { McpServersModule } from '../mcp-servers/index.js';
import { OutboundModule } from '../platform/outbound/outbound.module.js';
import { SandboxModule } from '../platform/sandbox/sandbox.module.js';
import { PromptsModule } from '../prompts/index.js';
import { ToolsModule } from '../tools/index.js';
import { AiDataExtractionColumnType } from './ai-data-extraction.column-type.js';
import { AllColumnType } from './all.column-type.js';
import { AnyColumnType } from './any.column-type.js';
import { ApplyDiffColumnType } from './apply-diff.column-type.js';
import { AssertValidColumnType } from './assert-valid.column-type.js';
import { CoalesceColumnType } from './coalesce.column-type.js';
import { CodeExecutionColumnType } from './code-execution.column-type.js';
import { ColumnAggregateColumnType } from './column-aggregate.column-type.js';
import { CombineColumnsColumnType } from './combine-columns.column-type.js';
import { CompareColumnType } from './compare.column-type.js';
import { CompositionColumnType } from './composition.column-type.js';
import { ContainsColumnType } from './contains.column-type.js';
import { ConversationSimulatorColumnType } from './conversation-simulator.column-type.js';
import { CosineSimilarityColumnType } from './cosine-similarity.column-type.js';
import { CountColumnType } from './count.column-type.js';
import { DefaultModels } from './default-models.js';
import { EndpointColumnType } from './endpoint.column-type.js';
import { ForLoopColumnType } from './for-loop.column-type.js';
import { HumanColumnType } from './human.column-type.js';
import { JsonPathColumnType } from './json-path.column-type.js';
import { LlmAssertionColumnType } from './llm-assertion.column-type.js';
import { LoopBodies } from './loop-body.js';
import { LoopRuns } from './loop-runs.js';
import { MathOperatorColumnType } from './math-operator.column-type.js';
import { MaxToolCallsColumnType } from './max-tool-calls.column-type.js';
import { McpColumnType } from './mcp.column-type.js';
import { MinMaxColumnType } from './min-max.column-type.js';
import { CellModelCalls } from './model-calls.js';
import { NoInvalidToolCallsColumnType } from './no-invalid-tool-calls.column-type.js';
import { NumericDistanceColumnType } from './numeric-distance.column-type.js';
import { ParseValueColumnType } from './parse-value.column-type.js';
import { PromptRuns } from './prompt-runs.js';
import { PromptTemplateColumnType } from './prompt-template.column-type.js';
import { PromptLoopBody } from './prompt.loop-body.js';
import { RegexExtractionColumnType } from './regex-extraction.column-type.js';
import { RegexColumnType } from './regex.column-type.js';
import { Simulations } from './simulations.js';
import { StructureColumnType } from './structure.column-type.js';
import { StructuredAnswers } from './structured-answers.js';
import { TextColumnType } from './text.column-type.js';
import { ToolEvaluatorColumnType } from './tool-evaluator.column-type.js';
import { ToolTurns } from './tool-turns.js';
import { TraceColumnType } from './trace.column-type.js';
import { TrajectoryColumnType } from './trajectory.column-type.js';
import { VariableColumnType } from './variable.column-type.js';
import { WhileLoopColumnType } from './while-loop.column-type.js';
import { XmlPathColumnType } from './xml-path.column-type.js';

const COLUMN_TYPES = [
  AiDataExtractionColumnType,
  AllColumnType,
  AnyColumnType,
  ApplyDiffColumnType,
  AssertValidColumnType,
  CoalesceColumnType,
  CodeExecutionColumnType,
  CombineColumnsColumnType,
  ColumnAggregateColumnType,
  CompareColumnType,
  CompositionColumnType,
  ContainsColumnType,
  ConversationSimulatorColumnType,
  CosineSimilarityColumnType,
  CountColumnType,
  ForLoopColumnType,
  EndpointColumnType,
  HumanColumnType,
  JsonPathColumnType,
  LlmAssertionColumnType,
  MathOperatorColumnType,
  MaxToolCallsColumnType,
  McpColumnType,
  MinMaxColumnType,
  NoInvalidToolCallsColumnType,
  NumericDistanceColumnType,
  ParseValueColumnType,
  PromptTemplateColumnType,
  RegexColumnType,
  RegexExtractionColumnType,
  StructureColumnType,
  TextColumnType,
  ToolEvaluatorColumnType,
  TraceColumnType,
  TrajectoryColumnType,
  VariableColumnType,
  WhileLoopColumnType,
  XmlPathColumnType,
];

/** Services that column types share. */
const SHARED = [
  CellModelCalls,
  PromptRuns,
  ToolTurns,
  DefaultModels,
  StructuredAnswers,
  LoopBodies,
  PromptLoopBody,
  LoopRuns,
  Simulations,
];

/** The column types that this server brings along. */
@Module({
  imports: [DiscoveryModule, LlmModule, McpServersModule, OutboundModule, PromptsModule, SandboxModule, ToolsModule],
  providers: [...COLUMN_TYPES, ...SHARED],
})
export class ColumnTypesModule {}
