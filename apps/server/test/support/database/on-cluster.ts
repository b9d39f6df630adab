export const isOnCluster = (process.env.TEST_POSTGRES_WORKERS ?? '') !== ''
