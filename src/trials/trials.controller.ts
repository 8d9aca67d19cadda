import { Body, Controller, HttpCode, Post, Res, type StreamableFile } from '@nestjs/common';
import { ApiExtraModels, ApiOkResponse, ApiOperation, ApiTags, getSchemaPath } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Can, type Caller, CurrentCaller, HeldKeys } from '../access/index.js';
import { Problem } from '../platform/errors/problem.js';
import { PlatformErrors } from '../platform/errors/platform.errors.js';
import { clientGone } from '../platform/http/ends-with-client.js';
import { EVENT_STREAM, EventStream } from '../platform/http/event-stream.js';
import { Throws } from '../platform/http/throws.js';
import { PromptErrors } from '../prompts/index.js';
import type { TrialToMake } from './trial.js';
import { TrialPrompts } from './trial-prompts.js';
import { toTrialResponse, TrialRequest, TrialResponse } from './trials.dto.js';
import { CALL_FAILURES, TrialErrors } from './trials.errors.js';
import { type TrialControl, TrialsService } from './trials.service.js';

@ApiTags('Trials')
@Controller('api/public/v2/trials')
export class TrialsController {
  constructor(
    private readonly prompts: TrialPrompts,
    private readonly trials: TrialsService,
    private readonly keys: HeldKeys,
  ) {}

  @Post()
  @HttpCode(200)
  @ApiOperation({
    summary: 'Send a prompt to a model once and read the answer.',
    description:
      'The call is stored as a request log with a trace of the origin `trial`, also if it fails. Tools that the model calls are answered as tool calls and not run. With `stream`, errors that occur before the call are ordinary answers; later ones are an event. When the client disconnects, the call is ended at once. 429 `trials_exceeded`: the workspace has too many trials under way.',
  })
  @Can('TABLE_EDIT')
  @ApiExtraModels(TrialResponse)
  @ApiOkResponse({
    description:
      'The answer. With stream: true, events called start (`{"trace_id"}`), text (`{"text"}`, the next piece of the answer), and in the end one called end with the same JSON as without a stream, or error (`{"code", "message", "request_id", "trace_id"}`). Comments keep the connection open.',
    content: {
      'application/json': { schema: { $ref: getSchemaPath(TrialResponse) } },
      [EVENT_STREAM]: { schema: { type: 'string', example: 'event: text\ndata: {"text":"Hello"}\n\n' } },
    },
  })
  @Throws(
    PromptErrors.prompt_not_found,
    PromptErrors.prompt_version_not_found,
    PromptErrors.prompt_label_not_found,
    PromptErrors.prompt_too_large,
    PromptErrors.prompt_snippets_excessive,
    TrialErrors.trial_model_missing,
    TrialErrors.trial_credential_missing,
    TrialErrors.trials_exceeded,
    TrialErrors.trial_stopped,
    ...CALL_FAILURES,
  )
  async create(
    @CurrentCaller() caller: Caller,
    @Body() body: TrialRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<TrialResponse | StreamableFile> {
    const unwanted = clientGone(reply);
    const trial = await this.prompts.prepare(caller, body);
    if (body.stream) {
      // A connection that has carried a stream is not kept: it would hold up a shutdown.
      reply.header('connection', 'close');
      return this.stream(caller, trial, unwanted);
    }
    return toTrialResponse(trial.called, await this.trials.start(caller, trial, { unwanted }));
  }

  /** A stream can last as long as a connection, so it also ends with its key. */
  private stream(caller: Caller, trial: TrialToMake, gone: AbortSignal): StreamableFile {
    const revoked = new AbortController();
    const events = new EventStream();
    const control: TrialControl = {
      unwanted: AbortSignal.any([gone, revoked.signal]),
      onText: (text) => (text === '' ? Promise.resolve() : events.send('text', { text })),
    };
    const running = this.trials.start(caller, trial, control);
    const letGo = this.keys.hold(caller, () => revoked.abort());
    void events.send('start', { trace_id: trial.traceId });
    void running
      .then(
        (made) => events.end('end', toTrialResponse(trial.called, made)),
        (error: unknown) => events.end('error', toErrorEvent(error)),
      )
      .finally(letGo);
    return events.answer;
  }
}

function toErrorEvent(error: unknown): object {
  const { code, message, extra } = error instanceof Problem ? error : PlatformErrors.internal_error('');
  const { request_id = null, trace_id = null } = (extra.body ?? {}) as { request_id?: number; trace_id?: string };
  return { code, message, request_id, trace_id };
}
