// Puts the chosen colours on before anything is drawn. No module, so that it runs first.
{
  let chosen = null;
  try {
    chosen = localStorage.getItem('weir-theme');
  } catch {
    // Storage is shut; the system's colours hold.
  }
  if (chosen === 'light' || chosen === 'dark') {
    document.documentElement.dataset.theme = chosen;
  }
}
