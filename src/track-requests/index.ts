export { TrackRequestsModule } from './track-requests.module.js';
