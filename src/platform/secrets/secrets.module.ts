import { Module } from '@nestjs/common';
import { Secrets } from './secrets.js';

@Module({ providers: [Secrets], exports: [Secrets] })
export class SecretsModule {}
