def main():
    print("installed and running")
