let context: AudioContext | undefined

/** Starts the audio context. Browsers allow this only during a user action. */
export function readySound(): void {
  try {
    context ??= new AudioContext()
    void context.resume()
  } catch {
    // Without audio, only the screen shows the result.
  }
}

export function playSound(outcome: 'paid' | 'failed'): void {
  if (!context) return
  const notes = outcome === 'paid' ? [784, 1_175] : [196]
  for (const [i, frequency] of notes.entries()) {
    const start = context.currentTime + i * 0.16
    const tone = context.createOscillator()
    const volume = context.createGain()
    tone.frequency.value = frequency
    volume.gain.setValueAtTime(0.0001, start)
    volume.gain.exponentialRampToValueAtTime(0.4, start + 0.02)
    volume.gain.exponentialRampToValueAtTime(0.0001, start + 0.4)
    tone.connect(volume).connect(context.destination)
    tone.start(start)
    tone.stop(start + 0.42)
  }
}
