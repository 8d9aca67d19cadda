import { Module } from '@nestjs/common';
import { JinjaSandbox } from './jinja-sandbox.js';

@Module({ providers: [JinjaSandbox], exports: [JinjaSandbox] })
export class SandboxModule {}
