export { LiveChannel, type LiveChannelPlugin, type LiveMessage, type LiveTopic } from './live-channel.js';
export { LiveGateway } from './live-gateway.js';
export { LiveModule } from './live.module.js';
export { LiveUpdates } from './live-updates.js';
export { WorkspaceChanges } from './workspace-changes.js';
