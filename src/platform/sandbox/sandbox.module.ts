import { Module } from '@nestjs/common';
import { CONFIG, type Config } from '../config/config.js';
import { CodeRunner } from './code-runner.js';
import { Isolation } from './expressions/isolation.js';
import { JinjaSandbox } from './jinja-sandbox.js';
import { SANDBOX_LIMITS, type SandboxLimits } from './limits.js';
import { Sandbox } from './sandbox.js';

const limits = {
  provide: SANDBOX_LIMITS,
  inject: [CONFIG],
  useFactory: ({ sandboxProcesses, codeTimeLimitMs }: Config): Partial<SandboxLimits> => ({
    processes: sandboxProcesses,
    codeMs: codeTimeLimitMs,
  }),
};

@Module({
  providers: [limits, Sandbox, JinjaSandbox, Isolation, CodeRunner],
  exports: [JinjaSandbox, Isolation, CodeRunner],
})
export class SandboxModule {}
