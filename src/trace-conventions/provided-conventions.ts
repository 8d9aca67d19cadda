import type { Type } from '@nestjs/common';
import type { TraceConvention } from './convention.js';
import { ClaudeCodeConvention } from './claude-code.convention.js';
import { BraintrustConvention } from './braintrust.convention.js';
import { HaystackConvention } from './haystack.convention.js';
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
import { PydanticAiConvention } from './pydantic-ai.convention.js';
import { VercelAiConvention } from './vercel-ai.convention.js';
import { WORDED_CONVENTIONS } from './worded-conventions.js';

/** The conventions that every installation reads. */
export const PROVIDED_CONVENTIONS: Type<TraceConvention>[] = [
  OpenInferenceConvention,
  VercelAiConvention,
  MastraConvention,
  LangSmithConvention,
  LiteLlmConvention,
  PydanticAiConvention,
  OpenAiAgentsConvention,
  MlflowConvention,
  LangfuseConvention,
  GoogleAdkConvention,
  GenkitConvention,
  ClaudeCodeConvention,
  BraintrustConvention,
  HaystackConvention,
  LiveKitConvention,
  GenAiConvention,
  ...WORDED_CONVENTIONS,
];
