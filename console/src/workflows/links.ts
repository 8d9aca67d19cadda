export const workflowPath = (id: number): string => `/workflows/${id}`;
