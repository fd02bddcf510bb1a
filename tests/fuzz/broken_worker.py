"""A worker of which every third case ends the process, and every fifth never ends."""

import os
import sys
import time

if __name__ == "__main__":
    first, count = map(int, sys.argv[3:5])
    for case in range(first, first + count):
        if case % 3 == 2:
            os.abort()
        if case % 5 == 4:
            time.sleep(600)
        print(f'[{case}, {{"fine": true}}]', flush=True)
