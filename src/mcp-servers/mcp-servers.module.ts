import { Module } from '@nestjs/common';
import { OutboundModule } from '../platform/outbound/outbound.module.js';
import { SecretsModule } from '../platform/secrets/secrets.module.js';
import { McpClient } from './mcp-client.js';
import { McpServersController } from './mcp-servers.controller.js';
import { McpServersService } from './mcp-servers.service.js';

@Module({
  imports: [OutboundModule, SecretsModule],
  controllers: [McpServersController],
  providers: [McpServersService, McpClient],
  exports: [McpServersService, McpClient],
})
export class McpServersModule {}
