# SPDX-License-Identifier: Apache-2.0
"""Truth beside answer, a row a question as it is answered, and the sums below."""
import json

RIGHT, NONE, WRONG = "right", "no answer", "WRONG"


class Scoreboard:
    def __init__(self, columns):
        """columns: headings of the table, in Markdown."""
        self.rows, self.counts = [], {RIGHT: 0, NONE: 0, WRONG: 0}
        print("| " + " | ".join(columns) + " |\n|" + "---|" * len(columns), flush=True)

    def add(self, cells, row):
        """cells: texts of the table's row; row: what the JSON keeps, with "verdict", "runs", "builds" and "seconds"."""
        self.counts[row["verdict"]] += 1
        print("| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |", flush=True)
        self.rows.append({**row, "seconds": round(row["seconds"], 1)})

    def end(self, kind, seed, path=None, demand_answers=False):
        """Prints the sums, writes JSON to `path` when there is one; the exit status: 1 when an answer is wrong or, on demand, missing."""
        builds = sum(row["builds"] for row in self.rows)
        print(f"\n{self.counts[RIGHT]} of {len(self.rows)} right, {self.counts[NONE]} without an answer, {self.counts[WRONG]} wrong; "
              f"{sum(row['runs'] for row in self.rows)} runs, {f'{builds} builds, ' if builds else ''}"
              f"{sum(row['seconds'] for row in self.rows) / 60:.1f} minutes")
        if path:
            with open(path, "w") as file:
                json.dump({"schema_version": 1, "kind": kind, "seed": seed, "cases": self.rows}, file, indent=1)
                file.write("\n")
        return 1 if self.counts[WRONG] or (demand_answers and self.counts[NONE]) else 0
