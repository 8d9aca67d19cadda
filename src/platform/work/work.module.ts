import { Global, Module } from '@nestjs/common';
import { WorkRunner } from './work-runner.js';

@Global()
@Module({ providers: [WorkRunner], exports: [WorkRunner] })
export class WorkModule {}
