// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {MerchantSplit} from "../../src/MerchantSplit.sol";

contract MoodyRecipient {
    bool public refuses;

    function setRefuses(bool refuses_) external {
        refuses = refuses_;
    }

    receive() external payable {
        require(!refuses, "not now");
    }
}

contract RevertingRecipient {
    receive() external payable {
        revert("never");
    }
}

contract BurningRecipient {
    receive() external payable {
        while (true) {}
    }
}

/// @dev Reverts with as much return data as its gas pays for. Copying the data would cost the caller as much
/// again.
contract BombRecipient {
    receive() external payable {
        assembly {
            revert(0, 1000000)
        }
    }
}

/// @dev Succeeds with as much return data as 60,000 gas pays for.
contract SoftBombRecipient {
    receive() external payable {
        assembly {
            return(0, 100000)
        }
    }
}

/// @dev Needs more gas than a push provides, but less than `release` provides.
contract SlowRecipient {
    uint256[] private _visits;

    receive() external payable {
        for (uint256 i; i < 4; ++i) {
            _visits.push(1);
        }
    }
}

/// @dev Reverts immediately and cheaply if it gets less gas than a push must provide.
contract FussyRecipient {
    receive() external payable {
        require(gasleft() > 55_000, "too little gas");
    }
}

contract ReentrantRecipient {
    uint256 public entered;
    uint256 public tries;

    receive() external payable {
        MerchantSplit split = MerchantSplit(msg.sender);
        attempt(abi.encodeCall(split.distribute, (address(0))));
        attempt(abi.encodeWithSignature("release(address)", address(this)));
    }

    function attempt(bytes memory data) private {
        (bool done,) = msg.sender.call(data);
        ++tries;
        if (done) ++entered;
    }
}

contract GenerousRecipient {
    receive() external payable {
        (bool done,) = msg.sender.call{value: msg.value / 2}("");
        require(done);
    }
}

/// @dev Sends with `transfer` and `send`, which give the recipient 2,300 gas.
contract StipendSender {
    function sendBy(address payable to) external payable {
        to.transfer(msg.value / 2);
        require(to.send(msg.value / 2), "send failed");
    }
}

contract SmartAccount {
    address private immutable OWNER;

    constructor(address owner) {
        OWNER = owner;
    }

    function isValidSignature(bytes32 digest, bytes calldata signature) external view returns (bytes4) {
        (bytes32 r, bytes32 s) = abi.decode(signature[:64], (bytes32, bytes32));
        bool isOwners = ecrecover(digest, uint8(signature[64]), r, s) == OWNER;
        return isOwners ? this.isValidSignature.selector : bytes4(0);
    }
}
