export const toolPath = (id: number): string => `/tools/${id}`;
