import { Module } from '@nestjs/common';
import { SecretsModule } from '../platform/secrets/secrets.module.js';
import { EnvVarStore } from './env-var-store.js';
import { EnvVarsController } from './env-vars.controller.js';
import { EnvVarsService } from './env-vars.service.js';

@Module({
  imports: [SecretsModule],
  controllers: [EnvVarsController],
  providers: [EnvVarsService, EnvVarStore],
  exports: [EnvVarStore],
})
export class EnvVarsModule {}
