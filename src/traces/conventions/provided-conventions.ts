import type { Type } from '@nestjs/common';
import type { TraceConvention } from './convention.js';
import { OpenRouterConvention } from './open-router.convention.js';
import { SentryConvention } from './sentry.convention.js';
import { ClaudeCodeConvention } from './claude-code.convention.js';
import { SemanticKernelConvention } from './semantic-kernel.convention.js';
import { CloudflareConvention } from './cloudflare.convention.js';
import { OpenClawConvention } from './openclaw.convention.js';
import { CodexConvention } from './codex.convention.js';
import { LangtraceConvention } from './langtrace.convention.js';
import { BraintrustConvention } from './braintrust.convention.js';
import { LaminarConvention } from './laminar.convention.js';
import { AgentOpsConvention } from './agentops.convention.js';
import { LangWatchConvention } from './langwatch.convention.js';
import { JudgmentConvention } from './judgment.convention.js';
import { HaystackConvention } from './haystack.convention.js';
import { AnyAgentConvention } from './any-agent.convention.js';
import { GenAiConvention } from './gen-ai.convention.js';
import { GenkitConvention } from './genkit.convention.js';
import { GoogleAdkConvention } from './google-adk.convention.js';
import { LangfuseConvention } from './langfuse.convention.js';
import { LangSmithConvention } from './langsmith.convention.js';
import { LiteLlmConvention } from './lite-llm.convention.js';
import { LiveKitConvention } from './livekit.convention.js';
import { MastraConvention } from './mastra.convention.js';
import { MlflowConvention } from './mlflow.convention.js';
import { OpenAiAgentsConvention } from './openai-agents.convention.js';
import { OpenInferenceConvention } from './open-inference.convention.js';
import { OpenLlmetryConvention } from './open-llmetry.convention.js';
import { PydanticAiConvention } from './pydantic-ai.convention.js';
import { VercelAiConvention } from './vercel-ai.convention.js';

/** The conventions that every installation reads. */
export const PROVIDED_CONVENTIONS: Type<TraceConvention>[] = [
  OpenInferenceConvention,
  VercelAiConvention,
  MastraConvention,
  LangSmithConvention,
  LiteLlmConvention,
  OpenLlmetryConvention,
  PydanticAiConvention,
  OpenAiAgentsConvention,
  MlflowConvention,
  LangfuseConvention,
  GoogleAdkConvention,
  GenkitConvention,
  OpenRouterConvention,
  SentryConvention,
  ClaudeCodeConvention,
  SemanticKernelConvention,
  CloudflareConvention,
  OpenClawConvention,
  CodexConvention,
  LangtraceConvention,
  BraintrustConvention,
  LaminarConvention,
  AgentOpsConvention,
  LangWatchConvention,
  JudgmentConvention,
  HaystackConvention,
  AnyAgentConvention,
  LiveKitConvention,
  GenAiConvention,
];
