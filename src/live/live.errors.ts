import { defineErrors } from '../platform/errors/problem.js';

export const LiveErrors = defineErrors({
  live_channel_unknown: {
    status: 400,
    message: (forms: string[]) =>
      `There are no channels of this name. Send the name of a channel as capability: ${forms.join(' or ')}.`,
  },
  live_channel_not_found: {
    status: 404,
    message: (channel: string) =>
      `What the channel ${channel} is about was not found in this workspace. Check the id in its name.`,
  },
});
