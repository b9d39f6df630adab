import { startBadInputs, testWalk } from './bad-inputs/walk.ts'

testWalk(startBadInputs(), (_, cases) => cases)
